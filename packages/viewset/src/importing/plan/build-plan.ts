import { suggestion } from '../../core/suggestion.ts'
import { has } from '../../kinds/kinds.ts'
import { formsOfLocale, LocaleFault, type LocaleForms } from '../../kinds/locale/locale-forms.ts'
import type { Model } from '../../model/kit.ts'
import { type ColumnInfo, type ModelInfo, modelInfo, type PartialUnique, type Unique } from '../../model/model-info.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { readQueryset } from '../../serializer/relations/scoped.ts'
import { encodingNamed } from '../../tabular/read/csv-encoding.ts'
import type { ImportFormat } from '../../tabular/read/file.ts'
import type { ImportFileConfig, ImportForeignKey, ImportModel, TotalsRows } from '../config.ts'
import { type ConfigCheck, isObject } from './config-check.ts'
import { deletionColumn } from './deletion-column.ts'
import { type PlannedColumn, type PlannedModel, withFlatHeaders } from './headers.ts'
import { linksColumn } from './links-column.ts'
import { checkLists, listColumns } from './list-column.ts'
import { withOptional } from './optional-columns.ts'
import { appValues, type ImportPlan, rowPolicy, type UniquePlan } from './plan.ts'
import { withSpellings } from './spellings.ts'
import { fieldColumn, foreignKeyColumn, sourceFields } from './stored-columns.ts'
import { versionColumn } from './version-column.ts'

const IMPORT_FORMATS: readonly ImportFormat[] = ['csv', 'xls', 'xlsx']
const FILE_SETTINGS = [
  'fileFormat',
  'order',
  'models',
  'headers',
  'headerRow',
  'chunkSize',
  'prepareRow',
  'totalsRows',
  'allOrNothing',
  'locale',
  'encoding',
] as const satisfies readonly (keyof ImportFileConfig)[]
const TOTALS_ROWS: readonly TotalsRows[] = ['fail', 'skip']
const MODEL_SETTINGS = [
  'model',
  'fields',
  'uniqueFields',
  'foreignKeys',
  'onExisting',
  'onMissing',
  'skipUnchanged',
  'onDuplicateRow',
  'createOnly',
  'matchWithoutIndex',
  'computedFields',
  'constantFields',
  'manyToMany',
  'lists',
  'deleteWhen',
  'version',
  'optional',
  'sensitive',
] as const satisfies readonly (keyof ImportModel)[]

interface PlannedFor {
  readonly fixed?: Model | undefined
  readonly serializer?: ModelSerializer | undefined
  readonly isHidden?: ((path: string) => boolean) | undefined
}

/** @throws ConfigError with the key and a suggestion. */
export function buildPlan(check: ConfigCheck, config: ImportFileConfig, resource: PlannedFor = {}): ImportPlan {
  check.keys('', config, FILE_SETTINGS)
  const {
    fileFormat,
    order,
    models,
    headers,
    headerRow,
    chunkSize,
    prepareRow,
    totalsRows = 'fail',
    allOrNothing = false,
    locale,
    encoding,
  } = config
  const formats = readFormats(check, fileFormat)
  const isRow = headerRow === undefined || (Number.isSafeInteger(headerRow) && headerRow > 0)
  check.that(isRow, 'headerRow', `must be the number of a row, not ${JSON.stringify(headerRow)}`)
  const isCount = chunkSize === undefined || (Number.isSafeInteger(chunkSize) && chunkSize > 0)
  check.that(isCount, 'chunkSize', `must be a whole number above 0, not ${JSON.stringify(chunkSize)}`)
  check.that(isObject(models) && Object.keys(models).length > 0, 'models', 'is required; describe at least one model')
  check.list('order', order, Object.keys(models), 'models')
  for (const key of Object.keys(models)) {
    check.that(order.includes(key), 'order', `misses "${key}", which is among the models`)
  }
  const planned = order.map(key => planModel(check, key, models[key] as ImportModel, resource, key === order.at(-1)))
  checkOrder(check, planned)
  checkLists(check, planned)
  const dialects = new Set(planned.map(({ model }) => model.dialect))
  check.that(dialects.size === 1, 'models', 'are tables for different databases')
  const isFunction = prepareRow === undefined || typeof prepareRow === 'function'
  check.that(isFunction, 'prepareRow', 'must be a function of the row')
  check.that(typeof allOrNothing === 'boolean', 'allOrNothing', 'must be true or false')
  check.choice('totalsRows', totalsRows, TOTALS_ROWS)
  return {
    formats: [...new Set(formats)],
    models: withSpellings(check, withFlatHeaders(planned), headers),
    headerRow,
    chunkSize,
    prepareRow,
    totalsRows,
    allOrNothing,
    locale: locale === undefined ? undefined : readLocale(check, locale),
    encoding: encoding === undefined ? undefined : readEncoding(check, encoding),
  }
}

function readLocale(check: ConfigCheck, locale: string): LocaleForms {
  const forms = formsOfLocale(locale)
  return forms instanceof LocaleFault ? check.refuse('locale', forms.problem) : forms
}

function readEncoding(check: ConfigCheck, label: string): string {
  return (
    encodingNamed(String(label)) ??
    check.refuse('encoding', `must be an encoding such as "windows-1251", not "${label}"`)
  )
}

function readFormats(
  check: ConfigCheck,
  fileFormat: ImportFileConfig['fileFormat'] | undefined,
): readonly ImportFormat[] {
  const formats: readonly ImportFormat[] = fileFormat === undefined ? [] : [fileFormat].flat()
  check.that(formats.length > 0, 'fileFormat', `is required; known: ${IMPORT_FORMATS.join(', ')}`)
  for (const format of formats) {
    const problem = `unknown format "${format}"${suggestion(String(format), IMPORT_FORMATS)}`
    check.that(IMPORT_FORMATS.includes(format), 'fileFormat', problem)
  }
  return formats
}

function planModel(
  check: ConfigCheck,
  key: string,
  config: ImportModel,
  { fixed, serializer, isHidden }: PlannedFor,
  isLast: boolean,
): PlannedModel {
  const at = `models.${key}`
  check.keys(at, config, MODEL_SETTINGS)
  const { fields, foreignKeys = {}, manyToMany = {}, lists = [], deleteWhen, version } = config
  const policy = rowPolicy(check, at, config)
  const uniqueFields = policy.createOnly ? [] : (config.uniqueFields as readonly string[])
  const read = readQueryset(`${check.subject}: ${at}`, config.model)
  if (!read) return check.refuse(`${at}.model`, 'must be a model, or scoped(model, where)')
  const model = modelInfo(read.model)
  check.keys(`${at}.foreignKeys`, foreignKeys, [...model.byKey.keys()])
  const sources = sourceFields(model, foreignKeys)
  refuseListsAmong(check, `${at}.fields`, fields, model, serializer)
  check.list(`${at}.fields`, fields, [...model.byKey.keys(), ...sources.keys()], `fields of "${model.name}"`)
  const filled = appValues(check, at, config, model, sources)
  const stored = [
    ...[...fields, ...filled.keys()]
      .filter(field => !(field in foreignKeys) && !sources.has(field))
      .map(field => fieldColumn(check, at, model, field)),
    ...Object.entries(foreignKeys).map(([field, declared]) =>
      foreignKeyColumn(check, `${at}.foreignKeys.${field}`, model, field, declared as ImportForeignKey),
    ),
  ].map((planned): PlannedColumn => {
    const value = filled.get(planned.column.key)
    return value ? { ...planned, appValue: value } : planned
  })
  const imported = stored.map(({ column }) => column)
  const links = Object.entries(manyToMany).map(([name, declared]) =>
    linksColumn(check, `${at}.manyToMany.${name}`, model, name, declared, serializer),
  )
  const nested = listColumns(check, `${at}.lists`, model, lists, serializer, isHidden)
  const isOfLast = deleteWhen === undefined || isLast
  check.that(isOfLast, `${at}.deleteWhen`, 'is for the last model of the order, which a row counts for')
  const deletion = deleteWhen && deletionColumn(check, `${at}.deleteWhen`, model, deleteWhen)
  const guard = version === undefined ? undefined : versionColumn(check, at, model, version, fields)
  // Fixed values are known with the request. Until then, any field may be one.
  const hasFixed = read.fixedValues !== undefined || read.model === fixed
  const findable = hasFixed ? [...model.byKey.keys()] : imported.map(column => column.key)
  check.list(
    `${at}.uniqueFields`,
    uniqueFields,
    [...findable, ...sources.keys()],
    hasFixed ? 'fields' : 'imported fields',
  )
  check.that(
    uniqueFields.length > 0 || policy.createOnly,
    `${at}.uniqueFields`,
    'is empty; name the fields that identify a record, or say createOnly',
  )
  const keys = new Set(uniqueFields.map(field => sources.get(field) ?? field))
  const unique = [...keys].map(key => model.byKey.get(key) as ColumnInfo)
  const strange = unique.find(column => !has(column, 'comparable'))
  if (strange) check.refuse(`${at}.uniqueFields`, `"${strange.key}" is of a type by which no record can be found`)
  if (model.key.length === 0) check.refuse(`${at}.model`, `"${model.name}" has no primary key`)
  const fixedPart = model.key.find(column => imported.includes(column) && !unique.includes(column))
  if (fixedPart) {
    const part = model.key.length === 1 ? 'the primary key' : 'a part of the primary key'
    const problem = `"${fixedPart.key}" is ${part}, which an update cannot change; put it among the uniqueFields too`
    check.refuse(`${at}.fields`, problem)
  }
  const needed = model.columns.filter(
    column => !column.nullable && !column.hasDefault && !column.createValue && !imported.includes(column),
  )
  if (needed[0] && !hasFixed) {
    check.refuse(`${at}.fields`, `misses "${needed[0].key}", which is required and has no default`)
  }
  const plannedUnique = uniquePlan(model, unique)
  checkConstraint(check, at, config, plannedUnique)
  const columns = [...stored, ...links, ...nested, ...(deletion ? [deletion] : []), ...(guard ? [guard] : [])]
  const awaited = new Set([...needed, ...unique.filter(column => !imported.includes(column))])
  return {
    key,
    model,
    scope: read.scope,
    fixedValues: read.fixedValues,
    columns: withOptional(check, at, config, columns, plannedUnique),
    unique: plannedUnique,
    policy,
    awaited: [...awaited],
  }
}

function refuseListsAmong(
  check: ConfigCheck,
  at: string,
  fields: readonly string[],
  { table }: ModelInfo,
  serializer: ModelSerializer | undefined,
): void {
  const declared = serializer?.model === table ? serializer.fields : []
  const list = declared.find(({ kind, key }) => kind === 'many' && [fields].flat().includes(key))
  if (list)
    check.refuse(at, `"${list.key}" is a list; name it in lists, or in manyToMany if it has identifiers or texts`)
}

function uniquePlan(model: ModelInfo, columns: readonly ColumnInfo[]): UniquePlan {
  const uniques: readonly (Omit<Unique, 'name'> & Partial<PartialUnique>)[] = [
    { columns: model.key, ignoreCase: false },
    ...model.uniques,
    ...model.partialUniques,
  ]
  const same = uniques.find(
    unique => unique.columns.length === columns.length && unique.columns.every(column => columns.includes(column)),
  )
  return {
    columns,
    ignoreCase: same?.ignoreCase ?? false,
    where: same?.where,
    isConstrained: same !== undefined,
    // A unique index allows any number of NULLs. One with a condition also allows rows that do not meet it, which
    // matter unless the same condition selects the records to match. Without columns, no record is matched.
    isEnforced:
      columns.length === 0 ||
      uniques.some(
        unique =>
          (unique === same || unique.where === undefined) &&
          unique.columns.every(column => columns.includes(column) && !column.nullable),
      ),
  }
}

function checkOrder(check: ConfigCheck, models: readonly PlannedModel[]): void {
  for (const [index, { key, columns }] of models.entries()) {
    for (const { lookup } of columns) {
      const at = models.findIndex(({ model }) => model.table === lookup?.model.table)
      if (at <= index) continue
      const parent = models[at]?.key
      check.refuse('order', `"${key}" refers to "${parent}"; put "${parent}" before it`)
    }
  }
}

const warned = new WeakSet<ImportModel>()

/** Warns of unique fields without a constraint: only a lock prevents two imports from creating a record twice. */
function checkConstraint(
  check: ConfigCheck,
  at: string,
  config: ImportModel,
  { columns, isConstrained, isEnforced }: UniquePlan,
): void {
  const { matchWithoutIndex = false } = config
  check.that(typeof matchWithoutIndex === 'boolean', `${at}.matchWithoutIndex`, 'must be true or false')
  if (matchWithoutIndex || isConstrained || isEnforced || warned.has(config)) return
  warned.add(config)
  const { subject, name } = check.place(`${at}.uniqueFields`)
  const names = columns.map(({ key }) => key).join(', ')
  process.emitWarning(
    `${subject}: ${name}: no unique constraint covers ${names}, so each import locks the table and ` +
      'other writes to it wait. Add a unique constraint, or set matchWithoutIndex: true if this is meant.',
    { type: 'ViewsetWarning', code: 'VIEWSET_MATCH_WITHOUT_INDEX' },
  )
}
