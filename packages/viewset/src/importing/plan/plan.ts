import type { SQL } from 'drizzle-orm'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import type { FixedValues } from '../../serializer/fixed-values.ts'
import type { Scope } from '../../store/projection.ts'
import type { ToManyRelation } from '../../store/to-many.ts'
import type { ImportFormat } from '../../tabular/read/file.ts'
import type { LocaleForms } from '../locale/locale-forms.ts'
import type { PrepareRow } from '../row-hooks.ts'
import type { OwnCell } from './own-fields.ts'
import type { RowPolicy } from './row-policy.ts'

/** An import's configuration, checked and resolved. */
export interface ImportPlan {
  readonly formats: readonly ImportFormat[]
  /** In the order in which they are written. */
  readonly models: readonly ModelPlan[]
  readonly chunkSize: number | undefined
  readonly prepareRow: PrepareRow | undefined
  /** How people write values in text cells, where that is not as code does. */
  readonly locale: LocaleForms | undefined
}

/** One model of an import. */
export interface ModelPlan {
  /** Its key in the configuration and the name of its sheet. */
  readonly key: string
  readonly model: ModelInfo
  /** The records that an import may update. */
  readonly scope: Scope | undefined
  /** The columns of its sheet, in the order of the configuration: fields, then foreign keys. */
  readonly columns: readonly ImportColumn[]
  readonly unique: UniquePlan
  readonly policy: RowPolicy
  /** What is written to every new record; no file has it. */
  readonly fixedValues: FixedValues | undefined
  /** Columns that fixed values must give, since the file does not. */
  readonly awaited: readonly ColumnInfo[]
}

/** How a row finds the stored record that it updates. */
export interface UniquePlan {
  readonly columns: readonly ColumnInfo[]
  /** Values that differ only in case are the same. */
  readonly ignoreCase: boolean
  /** The records among which a row finds its own; by default all. */
  readonly where: SQL | undefined
  /** Whether a constraint covers just these columns: a second record with values that are all given is refused. */
  readonly isConstrained: boolean
  /** Whether the database keeps a second record with the same values out; else the match runs under a lock. */
  readonly isEnforced: boolean
}

/** A column of the file as one model reads it. */
export interface ImportColumn {
  /** What a person finds above the column in the model's own sheet: the wire name or the source field. */
  readonly header: string
  /** The same in a flat file, where `countries.name` tells it from another model's `name`. */
  readonly flatHeader: string
  /** What the configuration says that files call it. The first is what the template writes. */
  readonly spellings: readonly string[]
  /** The name in code, for transforms: the field or the source field. */
  readonly name: string
  /** The column of the model that it writes. */
  readonly column: ColumnInfo
  /** Whether the header is a source field, and not made from the name of a field. */
  readonly isSourceField: boolean
  /** How a foreign key is found; `null` for a value of its own. */
  readonly lookup: ImportLookup | null
  /** The links that the cell names, of a relation to many; `column` and `lookup` are about each of them. */
  readonly links?: ImportLinks
  /** What the cell says in a row that deletes its record; the column fills no field, and no file need have it. */
  readonly deletes?: ReadonlySet<string>
  /** Whether an empty cell is an error. */
  readonly required: boolean
  /** Whether an empty cell is the empty text, since the column takes no null. */
  readonly takesBlank?: boolean
  /** What stands in for the cell, where no file has the column. */
  readonly own?: OwnCell
}

/** Links that one cell names. */
export interface ImportLinks {
  readonly relation: ToManyRelation
  /** What stands between two names. */
  readonly separator: string
}

/** How a foreign key is found from a cell. */
export interface ImportLookup {
  readonly model: ModelInfo
  /** The column that the cell holds. */
  readonly by: ColumnInfo
  readonly ignoreCase: boolean
  /** The column that the foreign key holds. */
  readonly target: ColumnInfo
  /** The records that a row may refer to. */
  readonly scope: Scope | undefined
}

/** Whether the column is computed from its row. */
export function isComputed({ own }: ImportColumn): boolean {
  return own !== undefined && 'compute' in own
}

/** Whether a file has the column; others are computed, or the same in all rows. */
export function isInFile({ own }: ImportColumn): boolean {
  return own === undefined
}
