/** Names that meant several things, or what only their author knew, and what says it now. */
export const RETIRED_NAMES: Readonly<Record<string, string>> = {
  // Importing
  Stage: 'ImportedSheet',
  StageModel: 'SheetModel',
  StageColumn: 'SheetColumn',
  stages: 'sheets',
  RowDraft: 'ImportRow',
  Unit: 'ImportRecord',
  UnitWriter: 'RecordWriter',
  unitsOf: 'recordsOf',
  writeUnits: 'writeRecords',
  matchUnits: 'matchRecords',
  sortUnits: 'sortRecords',
  waves: 'groups',
  wavesOf: 'groupRows',
  rivals: 'competitors',
  rivalsOf: 'competitorsOf',
  doubtful: 'retryable',
  steady: 'untouched',
  isSteady: 'isUntouched',
  FinalLookups: 'MissingParents',
  ImportScope: 'WriteContext',
  UniqueClaim: 'UniqueColumns',
  hasClaims: 'hasOtherUniques',
  // Four meanings of a draft: only what is nested in a request is one.
  draftOf: 'unplacedColumn',
  valueDraft: 'valueColumn',
  // Kinds: only what a value is on every side is one.
  ValueKind: 'StoredValue',
  ExpressionKind: 'ExpressionValue',
  ColumnKind: 'ValueInfo',
  readFilterValue: "the kind's readText",
  // Several functions of one name
  cellOf: 'exportCell, asCell or xlsCell',
  cellOfJson: 'exportJsonCell',
  cellReader: 'exportCellReader or importCellReader',
  fileError: 'unreadableFile or oversizeFile',
  prepareAll: 'loadAllRelated',
  Prepare: 'LoadRelated',
  // Mixins
  checkBulkSettings: 'upsertKey, or a rule of the setting',
  ownCreate: 'overriddenCreate',
  ownCreates: 'overriddenBulkCreate',
  ownUpdate: 'overriddenUpdate',
  ownUpdates: 'overriddenBulkUpdate',
  ownDestroy: 'overriddenDestroy',
  ownDestroys: 'overriddenBulkDelete',
  refuseOutside: 'refuseForeignDrafts or checkCreated',
  // Names that hid what a thing is
  Telling: 'RequestOptions',
  ToldOptions: 'RequestOptions',
  handingOver: 'exchangeUniques',
  Loan: 'ParkedRow',
  giveBack: 'restoreParked',
  makeRoom: 'parkValues',
  asksAboutRecords: 'hasObjectPermissions',
  looksAtRecords: 'needsStoredRow',
  Reach: 'ScanEstimate',
  MAKING_UP: 'QUICK_RUNS_PER_SLOW_MS',
  viewOfNobody: 'viewWithoutRequest',
  SOMEBODY: 'SAMPLE_USER',
  FoundationUsers: 'UsedBy',
  Stretch: 'KeysetSlice',
  HurriedTransaction: 'TimeLimitedTransaction',
  Rehearsal: 'DryRun',
  withCurrentMatches: 'retryOnConcurrentInsert',
  askForJob: 'enqueueJob',
  askAgain: 'checkAccessAgain',
  asksItself: 'overridesPermissions',
  ToldSettings: 'InferredSettings',
  toldWhatIsStored: 'withStoredCount',
  refuseStrangers: 'refuseUnknownSettings',
  PartedRecord: 'SplitRecord',
  leaveMissing: 'reportMissing',
  isInTheWay: 'isBlocking',
  // What could be anything
  SettingsInput: 'ApiSettingsInput',
}

/** Where a retired name is used: `path: name; write other instead`. */
export function retiredNamesIn(path: string, text: string): string[] {
  const words = new Set(text.match(/[A-Za-z_$][\w$]*/g))
  return Object.entries(RETIRED_NAMES).flatMap(([name, instead]) =>
    words.has(name) ? [`${path}: ${name}; write ${instead} instead`] : [],
  )
}
