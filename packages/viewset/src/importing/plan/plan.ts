import type { SQL } from 'drizzle-orm'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import type { FixedValues } from '../../serializer/fixed-values.ts'
import type { Scope } from '../../store/projection.ts'
import type { ToManyRelation } from '../../store/to-many.ts'
import type { ImportFormat } from '../../tabular/read/file.ts'
import type { ImportModel, OnExisting, OnMissing } from '../config.ts'
import type { ComputedField, PrepareRow } from '../import-hooks.ts'
import type { LocaleForms } from '../locale/locale-forms.ts'
import type { ConfigCheck } from './config-check.ts'

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

/** What a row does, by whether the record that it is about is stored. */
export interface RowPolicy {
  readonly onExisting: OnExisting
  readonly onMissing: OnMissing
  /** A row that says what is stored already writes nothing. */
  readonly skipUnchanged: boolean
  /** No record is looked for: each row makes a new one. */
  readonly createOnly: boolean
}

const ON_EXISTING: readonly OnExisting[] = ['update', 'skip', 'fail']
const ON_MISSING: readonly OnMissing[] = ['create', 'skip', 'fail']
/** Settings that are about a record which is found. */
const ABOUT_FOUND = ['onExisting', 'onMissing', 'skipUnchanged', 'deleteWhen'] as const

/** @throws ConfigError for a policy that is none, and for policies that exclude each other. */
export function rowPolicy(check: ConfigCheck, at: string, config: ImportModel): RowPolicy {
  const { onExisting = 'update', onMissing = 'create', skipUnchanged = false, createOnly = false } = config
  check.choice(`${at}.onExisting`, onExisting, ON_EXISTING)
  check.choice(`${at}.onMissing`, onMissing, ON_MISSING)
  check.that(typeof skipUnchanged === 'boolean', `${at}.skipUnchanged`, 'must be true or false')
  check.that(typeof createOnly === 'boolean', `${at}.createOnly`, 'must be true or false')
  if (createOnly) {
    const { uniqueFields = [] } = config
    const problem = `creates a record for each row and looks for none; leave uniqueFields out, or say onExisting: 'fail'`
    check.that(uniqueFields.length === 0, `${at}.createOnly`, problem)
    const other = ABOUT_FOUND.find(key => config[key] !== undefined)
    check.that(other === undefined, `${at}.${other}`, 'is about a record that is found, and createOnly looks for none')
  } else {
    const problem = `skips rows that would update a record, and onExisting: '${onExisting}' updates none`
    check.that(!skipUnchanged || onExisting === 'update', `${at}.skipUnchanged`, problem)
    const nothing = `with onExisting: '${onExisting}', no row would write anything`
    const isIdle = onExisting !== 'update' && onMissing !== 'create' && config.deleteWhen === undefined
    check.that(!isIdle, `${at}.onMissing`, nothing)
  }
  return { onExisting, onMissing, skipUnchanged, createOnly }
}

/** Where a column has its cells from that no file has: the same for all rows, or computed from each. */
type OwnCell = { readonly constant: unknown } | { readonly compute: ComputedField }

/**
 * The fields of a model that no file has, by the key of their column.
 *
 * @param sources relations by the source fields that may be named in their place
 * @throws ConfigError for a name that is not known, or that stands in two settings
 */
export function ownFields(
  check: ConfigCheck,
  at: string,
  { computedFields = {}, constantFields = {}, fields }: ImportModel,
  model: ModelInfo,
  sources: ReadonlyMap<string, string>,
): ReadonlyMap<string, OwnCell> {
  const known = [...model.byKey.keys(), ...sources.keys()]
  const named = new Map<string, string>(fields.map(field => [sources.get(field) ?? field, `${at}.fields`]))
  const own = new Map<string, OwnCell>()
  const add = (setting: string, name: string, cell: OwnCell) => {
    const key = sources.get(name) ?? name
    const other = named.get(key)
    if (other !== undefined)
      check.refuse(`${at}.${setting}.${name}`, `"${name}" stands in ${other}, too; say where it comes from`)
    named.set(key, `${at}.${setting}`)
    own.set(key, cell)
  }
  check.keys(`${at}.computedFields`, computedFields, known)
  for (const [name, compute] of Object.entries(computedFields)) {
    check.that(typeof compute === 'function', `${at}.computedFields.${name}`, 'must be a function of the row')
    add('computedFields', name, { compute: compute as ComputedField })
  }
  check.keys(`${at}.constantFields`, constantFields, known)
  for (const [name, constant] of Object.entries(constantFields)) add('constantFields', name, { constant })
  return own
}
