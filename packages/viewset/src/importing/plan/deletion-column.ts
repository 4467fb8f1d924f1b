import { wireName } from '../../core/wire-names.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import type { ImportDeleteWhen } from '../config.ts'
import type { ConfigCheck } from './config-check.ts'
import type { PlannedColumn } from './headers.ts'

/**
 * The column whose value makes a row delete its record. Files may omit it, and a field may read the same column.
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

export function deletionText(cell: unknown): string {
  return String(cell ?? '')
    .trim()
    .toLowerCase()
}

/** A column without a field, with values like another column's. Its cells may be empty. */
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
 * A key column whose empty cells are read as null, even with a constant default. All rows share the default, so a row
 * needs another part of the key. Then `completeKey` fills in the default.
 */
export function asKeyPart(column: ColumnInfo): ColumnInfo {
  if (!column.hasPlainDefault) return column
  return { ...column, nullable: true, hasDefault: false, hasPlainDefault: false, createValue: undefined }
}
