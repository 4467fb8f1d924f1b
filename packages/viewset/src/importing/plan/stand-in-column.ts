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
