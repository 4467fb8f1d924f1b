import { wireName } from '../../core/wire-names.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import type { ImportDeleteWhen } from '../config.ts'
import type { ConfigCheck } from './config-check.ts'
import type { PlannedColumn } from './headers.ts'

/**
 * The column that says which rows delete their records. The file need not have it, and it may be the column of a field.
 *
 * @throws ConfigError
 */
export function deletionColumn(
  check: ConfigCheck,
  at: string,
  { primaryKey }: ModelInfo,
  config: ImportDeleteWhen,
): PlannedColumn {
  check.keys(at, config, ['sourceField', 'equals'])
  const { sourceField, equals } = config
  const isText = typeof sourceField === 'string' && sourceField.trim() !== ''
  check.that(isText, `${at}.sourceField`, 'is required; name the column of the file that says which rows delete')
  const isList = Array.isArray(equals) && equals.length > 0 && equals.every(value => deletionText(value) !== '')
  check.that(isList, `${at}.equals`, "is required; list what its cells say in rows that delete, as in ['yes', 'x']")
  return {
    header: sourceField,
    name: sourceField,
    isSourceField: true,
    column: standInColumn(primaryKey, sourceField),
    lookup: null,
    deletes: new Set(equals.map(deletionText)),
    required: false,
  }
}

/** What a cell says of a deletion: blanks around it and the case of letters do not count. */
export function deletionText(cell: unknown): string {
  return String(cell ?? '')
    .trim()
    .toLowerCase()
}

/** A column that the model does not have, whose values are like those of another one; an empty cell is no mistake. */
export function standInColumn(like: ColumnInfo, name: string): ColumnInfo {
  return {
    ...like,
    key: name,
    wire: wireName(name),
    nullable: true,
    hasDefault: false,
    hasPlainDefault: false,
    createValue: undefined,
    updateValue: undefined,
    references: null,
    primaryKey: false,
  }
}

/**
 * A column of the key, whose empty cells are read as null also if it has a plain default. The default is the same in all
 * rows, so a row must have another part of the key. Only then `completeKey` fills the default in.
 */
export function asKeyPart(column: ColumnInfo): ColumnInfo {
  if (!column.hasPlainDefault) return column
  return { ...column, nullable: true, hasDefault: false, hasPlainDefault: false, createValue: undefined }
}
