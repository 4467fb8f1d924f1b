import { wireName } from '../../core/wire-names.ts'
import type { ColumnInfo } from '../../model/model-info.ts'

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
