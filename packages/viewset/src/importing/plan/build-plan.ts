import { suggestion } from '../../core/suggestion.ts'
import { has, kindOf } from '../../kinds/kinds.ts'
import type { Model } from '../../model/kit.ts'
import { AUDIT_FIELDS, type ColumnInfo, type ModelInfo, modelInfo } from '../../model/model-info.ts'
import { readQueryset } from '../../serializer/scoped.ts'
import { missingPackages } from '../../tabular/missing-packages.ts'
import type { ImportFormat } from '../../tabular/read/file.ts'
import type { ImportFileConfig, ImportForeignKey, ImportModel } from '../config.ts'
import { readLocale } from '../locale/read-locale.ts'
import { type ConfigCheck, isObject } from './config-check.ts'
import { type PlannedColumn, type PlannedModel, withFlatHeaders } from './headers.ts'
import { ownFields } from './own-fields.ts'
import type { ImportLookup, ImportPlan, UniquePlan } from './plan.ts'
import { rowPolicy } from './row-policy.ts'
import { withSpellings } from './spellings.ts'

const IMPORT_FORMATS: readonly ImportFormat[] = ['csv', 'xls', 'xlsx']
const MODEL_SETTINGS = [
  'model',
  'fields',
  'uniqueFields',
  'foreignKeys',
  'onExisting',
  'onMissing',
  'skipUnchanged',
  'createOnly',
  'computedFields',
  'constantFields',
] as const satisfies readonly (keyof ImportModel)[]

/**
 * Checks an import's configuration and resolves its names. `fixed` is the model that the resource has fixed values for.
 *
 * @throws ConfigError naming the key and a suggestion.
 */
export function buildPlan(check: ConfigCheck, config: ImportFileConfig, fixed?: Model): ImportPlan {
  check.keys('', config, ['fileFormat', 'order', 'models', 'headers', 'chunkSize', 'prepareRow', 'locale'])
  const { fileFormat, order, models, headers, chunkSize, prepareRow, locale } = config
  const formats = readFormats(check, fileFormat)
  const isCount = chunkSize === undefined || (Number.isSafeInteger(chunkSize) && chunkSize > 0)
  check.that(isCount, 'chunkSize', `must be a whole number above 0, not ${String(chunkSize)}`)
  check.that(isObject(models) && Object.keys(models).length > 0, 'models', 'is required; describe at least one model')
  check.list('order', order, Object.keys(models), 'models')
  for (const key of Object.keys(models)) {
    check.that(order.includes(key), 'order', `misses "${key}", which is among the models`)
  }
  const planned = order.map(key => planModel(check, key, models[key] as ImportModel, fixed))
  checkOrder(check, planned)
  const dialects = new Set(planned.map(({ model }) => model.dialect))
  check.that(dialects.size === 1, 'models', 'are tables for different databases')
  const isFunction = prepareRow === undefined || typeof prepareRow === 'function'
  check.that(isFunction, 'prepareRow', 'must be a function of the row')
  return {
    formats: [...new Set(formats)],
    models: withSpellings(check, withFlatHeaders(planned), headers),
    chunkSize,
    prepareRow,
    locale: locale === undefined ? undefined : readLocale(check, locale),
  }
}

/** @throws ConfigError also for a format whose package is missing: at start, and not when the first file comes. */
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
  const missing = formats.includes('xls') ? missingPackages(['hucre']) : []
  check.that(missing.length === 0, 'fileFormat', '"xls" needs a package that is not installed: npm install hucre')
  return formats
}

function planModel(check: ConfigCheck, key: string, config: ImportModel, fixed: Model | undefined): PlannedModel {
  const at = `models.${key}`
  check.keys(at, config, MODEL_SETTINGS)
  const { fields, foreignKeys = {} } = config
  const policy = rowPolicy(check, at, config)
  const uniqueFields = policy.createOnly ? [] : (config.uniqueFields as readonly string[])
  const read = readQueryset(config.model)
  if (!read) return check.refuse(`${at}.model`, 'must be a model, or scoped(model, where)')
  const model = modelInfo(read.model)
  check.keys(`${at}.foreignKeys`, foreignKeys, [...model.byKey.keys()])
  const sources = sourceFields(model, foreignKeys)
  check.list(`${at}.fields`, fields, [...model.byKey.keys(), ...sources.keys()], `fields of "${model.name}"`)
  const own = ownFields(check, at, config, model, sources)
  const columns = [
    ...[...fields, ...own.keys()]
      .filter(field => !(field in foreignKeys) && !sources.has(field))
      .map(field => fieldColumn(check, at, model, field)),
    ...Object.entries(foreignKeys).map(([field, declared]) =>
      foreignKeyColumn(check, `${at}.foreignKeys.${field}`, model, field, declared as ImportForeignKey),
    ),
  ].map((planned): PlannedColumn => {
    const cell = own.get(planned.column.key)
    return cell ? { ...planned, own: cell } : planned
  })
  const imported = columns.map(({ column }) => column)
  // Which values are fixed is known with the request; until then, any field may be one.
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
    'is empty; name the fields that tell one record from another, or say createOnly',
  )
  const keys = new Set(uniqueFields.map(field => sources.get(field) ?? field))
  const unique = [...keys].map(key => model.byKey.get(key) as ColumnInfo)
  const strange = unique.find(column => !has(column, 'comparable'))
  if (strange) check.refuse(`${at}.uniqueFields`, `"${strange.key}" is of a type by which no record can be found`)
  const { primaryKey } = model
  if (imported.includes(primaryKey) && !unique.includes(primaryKey)) {
    const problem = `"${primaryKey.key}" is the primary key, which an update cannot change; put it among the uniqueFields too`
    check.refuse(`${at}.fields`, problem)
  }
  const needed = model.columns.filter(
    column => !column.nullable && !column.hasDefault && !column.createValue && !imported.includes(column),
  )
  if (needed[0] && !hasFixed) {
    check.refuse(`${at}.fields`, `misses "${needed[0].key}", which is required and has no default`)
  }
  const awaited = new Set([...needed, ...unique.filter(column => !imported.includes(column))])
  return {
    key,
    model,
    scope: read.scope,
    fixedValues: read.fixedValues,
    columns,
    unique: uniquePlan(model, unique),
    policy,
    awaited: [...awaited],
  }
}

/** The relations by the columns of the file that they are looked up in, which may be named in their place. */
function sourceFields(
  model: ModelInfo,
  foreignKeys: NonNullable<ImportModel['foreignKeys']>,
): ReadonlyMap<string, string> {
  const sources = new Map<string, string>()
  for (const [relation, declared] of Object.entries(foreignKeys)) {
    const source = declared?.sourceField
    // A name that the model has itself means the model's own column.
    if (typeof source === 'string' && !model.byKey.has(source)) sources.set(source, relation)
  }
  return sources
}

function uniquePlan(model: ModelInfo, columns: readonly ColumnInfo[]): UniquePlan {
  const uniques = [{ columns: [model.primaryKey], ignoreCase: false }, ...model.uniques]
  const same = uniques.find(
    unique => unique.columns.length === columns.length && unique.columns.every(column => columns.includes(column)),
  )
  return {
    columns,
    ignoreCase: same?.ignoreCase ?? false,
    // A unique index lets NULLs pass, however many there are. Without columns, no record is looked for.
    isEnforced:
      columns.length === 0 ||
      uniques.some(unique => unique.columns.every(column => columns.includes(column) && !column.nullable)),
  }
}

function fieldColumn(check: ConfigCheck, at: string, model: ModelInfo, field: string): PlannedColumn {
  const column = model.byKey.get(field) as ColumnInfo
  checkWritable(check, `${at}.fields`, column)
  const { references } = column
  if (!references) return { ...namesOf(column.wire, field, column), lookup: null }
  // Without a lookup of its own, the cell holds the key itself.
  const related = modelInfo(references.target)
  const by = references.column
  const lookup: ImportLookup = { model: related, by, ignoreCase: false, target: by, scope: undefined }
  return { ...namesOf(column.wire, field, column), lookup }
}

function foreignKeyColumn(
  check: ConfigCheck,
  at: string,
  owner: ModelInfo,
  field: string,
  config: ImportForeignKey,
): PlannedColumn {
  check.keys(at, config, ['model', 'lookupField', 'sourceField'])
  const { lookupField, sourceField } = config
  const column = owner.byKey.get(field) as ColumnInfo
  checkWritable(check, at, column)
  const { references } = column
  if (!references) return check.refuse(at, `"${field}" is no foreign key; name it among the fields instead`)
  const read = readQueryset(config.model)
  if (!read) return check.refuse(`${at}.model`, 'must be a model, or scoped(model, where)')
  const model = modelInfo(read.model)
  const expected = modelInfo(references.target)
  if (model.table !== expected.table) {
    check.refuse(`${at}.model`, `"${field}" refers to "${expected.name}", not to "${model.name}"`)
  }
  const by = model.byKey.get(lookupField)
  if (!by) {
    const problem = `unknown field "${lookupField}" of "${model.name}"${suggestion(String(lookupField), model.byKey.keys())}`
    return check.refuse(`${at}.lookupField`, problem)
  }
  if (!has(by, 'comparable')) {
    check.refuse(`${at}.lookupField`, `"${lookupField}" is of a type by which no record can be found`)
  }
  if (typeof sourceField !== 'string' || sourceField.trim() === '') {
    check.refuse(`${at}.sourceField`, 'is required; name the column of the file that holds the lookup value')
  }
  const ignoreCase = model.uniques.some(unique => unique.ignoreCase && unique.columns.every(column => column === by))
  const lookup: ImportLookup = { model, by, ignoreCase, target: references.column, scope: read.scope }
  return { ...namesOf(sourceField, sourceField, column), isSourceField: true, lookup }
}

function namesOf(header: string, name: string, column: ColumnInfo): Omit<PlannedColumn, 'lookup'> {
  return { header, name, column, isSourceField: false, required: !column.nullable && !column.hasDefault }
}

function checkWritable(check: ConfigCheck, at: string, column: ColumnInfo): void {
  const { key, hasDefault, generated } = column
  if (AUDIT_FIELDS.has(key) && hasDefault) check.refuse(at, `"${key}" is filled by itself and cannot be imported`)
  if (generated) check.refuse(at, `"${key}" is computed by the database and cannot be imported`)
  if (!kindOf(column).readCell) check.refuse(at, `"${key}" is of a type that no cell of a file can hold`)
}

/** What a row refers to must be written before it. */
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
