import { suggestion } from '../../core/suggestion.ts'
import { has, kindOf } from '../../kinds/kinds.ts'
import { AUDIT_FIELDS, type ColumnInfo, type ModelInfo, modelInfo } from '../../model/model-info.ts'
import { readQueryset } from '../../serializer/relations/scoped.ts'
import type { ImportForeignKey, ImportModel } from '../config.ts'
import type { ConfigCheck } from './config-check.ts'
import type { PlannedColumn } from './headers.ts'
import type { ImportLookup } from './plan.ts'

/** The column of a field: its value, or the key of the related record. @throws ConfigError */
export function fieldColumn(check: ConfigCheck, at: string, model: ModelInfo, field: string): PlannedColumn {
  const column = model.byKey.get(field) as ColumnInfo
  checkWritable(check, `${at}.fields`, column)
  const { references } = column
  if (!references) return { ...namesOf(column.wire, field, column), lookup: null }
  // Without a lookup, the cell holds the key itself.
  const related = modelInfo(references.target)
  const by = references.column
  const lookup: ImportLookup = { model: related, by, ignoreCase: false, target: by, scope: undefined }
  return { ...namesOf(column.wire, field, column), lookup }
}

export function foreignKeyColumn(
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
  const read = readQueryset(`${check.subject}: ${at}`, config.model)
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

/** Relations by source field, by which they may also be named. */
export function sourceFields(
  model: ModelInfo,
  foreignKeys: NonNullable<ImportModel['foreignKeys']>,
): ReadonlyMap<string, string> {
  const sources = new Map<string, string>()
  for (const [relation, declared] of Object.entries(foreignKeys)) {
    const source = declared?.sourceField
    // If the model has a column of that name, the name means the column.
    if (typeof source === 'string' && !model.byKey.has(source)) sources.set(source, relation)
  }
  return sources
}
