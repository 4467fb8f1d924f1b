import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { ImportTransform, OnMissing } from '../config.ts'
import type { ConfigCheck } from '../plan/config-check.ts'
import { fillsField, type ImportColumn, type ImportPlan, isInFile, type ModelPlan } from '../plan/plan.ts'
import { type ModelReader, modelReaders, ofWorkbook } from '../read/model-reader.ts'
import { markColumn } from './marks.ts'

/** How a file that was exported for editing changes stored records, and creates new ones. */
export interface EditPlan {
  readonly plan: ImportPlan
  /** Finds records by their primary key, the first of its columns. The last one has the marks for deletion. */
  readonly changing: ModelReader
  readonly creating: ModelReader
  /** The columns of the sheet, after that of the keys. */
  readonly columns: readonly ImportColumn[]
  /** What happens to a row without a key. */
  readonly onNew: OnMissing
}

interface EditedImport {
  readonly check: ConfigCheck
  readonly plan: ImportPlan
  readonly mainModel: ModelPlan
  readonly transforms: ReadonlyMap<ImportColumn, ImportTransform>
  readonly serializer: ModelSerializer | undefined
  /** The columns whose stored values the user may see. */
  readonly shown: readonly ImportColumn[]
}

/** Whether an import changes stored records, so that its files can be edited. */
export function isEditable({ formats }: ImportPlan, { policy, model }: ModelPlan): boolean {
  const { onExisting, createOnly } = policy
  return formats.includes('xlsx') && onExisting === 'update' && !createOnly && model.key.length === 1
}

/**
 * The plan of an import as one for editing: the columns of its main model, without those that say what a row does.
 * Values that the application computes are for new records only.
 */
export function editPlanOf({ check, plan, mainModel, transforms, serializer, shown }: EditedImport): EditPlan {
  const { primaryKey } = mainModel.model
  const { wire, key } = primaryKey
  const isOfKey = ({ column }: ImportColumn) => column === primaryKey
  const others = mainModel.columns.filter(column => !isOfKey(column) || !isInFile(column))
  const isEdited = (column: ImportColumn) => isInFile(column) && fillsField(column) && !column.list
  const columns = others.filter(column => isEdited(column) && shown.includes(column))
  const id: ImportColumn = {
    header: wire,
    flatHeader: wire,
    spellings: [],
    name: key,
    column: primaryKey,
    isSourceField: false,
    lookup: null,
    required: false,
  }
  const changing: ModelPlan = {
    ...mainModel,
    columns: [id, ...columns, markColumn(primaryKey)],
    unique: { columns: [primaryKey], ignoreCase: false, where: undefined, isConstrained: true, isEnforced: true },
    policy: { onExisting: 'update', onMissing: 'fail', skipUnchanged: true, createOnly: false, onDuplicateRow: 'last' },
    awaited: [],
  }
  const creating: ModelPlan = {
    ...mainModel,
    columns: others.filter(column => !isInFile(column) || columns.includes(column)),
    unique: { columns: [], ignoreCase: false, where: undefined, isConstrained: false, isEnforced: true },
    policy: { onExisting: 'fail', onMissing: 'create', skipUnchanged: false, createOnly: true, onDuplicateRow: 'last' },
  }
  const edited = { ...plan, models: [changing, creating], headerRow: undefined }
  const [forChanges, forNew] = modelReaders(check, edited, transforms, changing, serializer).map(reader => ({
    ...reader,
    columns: reader.columns.map(ofWorkbook),
  }))
  const { nullable, hasDefault, createValue } = primaryKey
  const makesKeys = nullable || hasDefault || createValue !== undefined || creating.columns.some(isOfKey)
  return {
    plan: edited,
    changing: forChanges as ModelReader,
    creating: forNew as ModelReader,
    columns,
    onNew: makesKeys ? mainModel.policy.onMissing : 'fail',
  }
}
