import type { SQL } from 'drizzle-orm'
import type { LocaleForms } from '../../kinds/locale/locale-forms.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import type { ManyField } from '../../serializer/fields.ts'
import type { FixedValues } from '../../serializer/fixed-values.ts'
import type { Scope } from '../../store/projection.ts'
import type { ToManyRelation } from '../../store/to-many.ts'
import type { ImportFormat } from '../../tabular/read/file.ts'
import type { ImportModel, OnDuplicateRow, OnExisting, OnMissing, TotalsRows } from '../config.ts'
import type { ComputedField, PrepareRow } from '../import-hooks.ts'
import type { ConfigCheck } from './config-check.ts'

export interface ImportPlan {
  readonly formats: readonly ImportFormat[]
  readonly models: readonly ModelPlan[]
  readonly headerRow: number | undefined
  readonly chunkSize: number | undefined
  readonly prepareRow: PrepareRow | undefined
  readonly locale: LocaleForms | undefined
  /** Of CSV files that are not Unicode. */
  readonly encoding: string | undefined
  readonly totalsRows: TotalsRows
  readonly allOrNothing: boolean
}

export interface ModelPlan {
  /** Its key in the configuration and the name of its sheet. */
  readonly key: string
  readonly model: ModelInfo
  readonly scope: Scope | undefined
  /** The columns of its sheet in the order of the configuration: fields, then foreign keys. */
  readonly columns: readonly ImportColumn[]
  readonly unique: UniquePlan
  readonly policy: RowPolicy
  /** Written to every new record; files do not have them. */
  readonly fixedValues: FixedValues | undefined
  readonly awaited: readonly ColumnInfo[]
}

export interface UniquePlan {
  readonly columns: readonly ColumnInfo[]
  readonly ignoreCase: boolean
  /** The records to search. Default: all. */
  readonly where: SQL | undefined
  /**
   * Whether a constraint covers exactly these columns, so that a second record with the same non-null values is
   * rejected.
   */
  readonly isConstrained: boolean
  /** Whether the database rejects every duplicate. Otherwise matching needs a lock. */
  readonly isEnforced: boolean
}

export interface ImportColumn {
  /** The header in the model's own sheet: the name in JSON or the source field. */
  readonly header: string
  /** The header in a flat file: `countries.name` if another model has a `name`. */
  readonly flatHeader: string
  /** Configured headers. Templates write the first. */
  readonly spellings: readonly string[]
  /** The label of exports, if the model's own sheet can have it as the header. */
  readonly label?: string
  /** The same in a flat file. */
  readonly flatLabel?: string
  readonly name: string
  readonly column: ColumnInfo
  readonly isSourceField: boolean
  /** `null` for a plain value. */
  readonly lookup: ImportLookup | null
  /** For a relation to many: `column` and `lookup` apply to each link. */
  readonly links?: ImportLinks
  /** For a list of records, such as the lines of an order: `column` only names it, and its cells are JSON. */
  readonly list?: ManyField
  /** The values that make a row delete its record. The column fills no field, and files may omit it. */
  readonly deletes?: ReadonlySet<string>
  /** Whether its cells are the versions of the records that rows update. It fills no field, and files may omit it. */
  readonly isVersion?: boolean
  readonly required: boolean
  /** Whether a file may lack it, also without a mapping. */
  readonly isOptional?: boolean
  /** Whether nothing keeps or reports its cells. */
  readonly isSensitive?: boolean
  /** Whether an empty cell is the empty text, because the column is not nullable. */
  readonly takesBlank?: boolean
  /** For a column that files do not have. */
  readonly appValue?: AppValue
}

export interface ImportLinks {
  readonly relation: ToManyRelation
  readonly separator: string
}

export interface ImportLookup {
  readonly model: ModelInfo
  readonly by: ColumnInfo
  readonly ignoreCase: boolean
  readonly target: ColumnInfo
  readonly scope: Scope | undefined
}

/** Whether cells of a column are stored. Other columns say what a row does. */
export function fillsField({ deletes, isVersion }: Pick<ImportColumn, 'deletes' | 'isVersion'>): boolean {
  return deletes === undefined && !isVersion
}

/** Whether rows of a model may have lists of records. */
export function hasLists({ columns }: Pick<ModelPlan, 'columns'>): boolean {
  return columns.some(({ list }) => list !== undefined)
}

export function isComputed({ appValue }: ImportColumn): boolean {
  return appValue !== undefined && 'compute' in appValue
}

export function isInFile({ appValue }: Pick<ImportColumn, 'appValue'>): boolean {
  return appValue === undefined
}

export interface RowPolicy {
  readonly onExisting: OnExisting
  readonly onMissing: OnMissing
  readonly skipUnchanged: boolean
  readonly createOnly: boolean
  readonly onDuplicateRow: OnDuplicateRow
}

const ON_EXISTING: readonly OnExisting[] = ['update', 'skip', 'fail']
const ON_MISSING: readonly OnMissing[] = ['create', 'skip', 'fail']
const ON_DUPLICATE_ROW: readonly OnDuplicateRow[] = ['last', 'fail']
const ABOUT_FOUND = ['onExisting', 'onMissing', 'skipUnchanged', 'onDuplicateRow', 'deleteWhen', 'version'] as const

/** @throws ConfigError for an unknown policy, and for policies that exclude each other. */
export function rowPolicy(check: ConfigCheck, at: string, config: ImportModel): RowPolicy {
  const { onExisting = 'update', onMissing = 'create', skipUnchanged = false, createOnly = false } = config
  const { onDuplicateRow = 'last' } = config
  check.choice(`${at}.onExisting`, onExisting, ON_EXISTING)
  check.choice(`${at}.onMissing`, onMissing, ON_MISSING)
  check.choice(`${at}.onDuplicateRow`, onDuplicateRow, ON_DUPLICATE_ROW)
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
  return { onExisting, onMissing, skipUnchanged, createOnly, onDuplicateRow }
}

type AppValue = { readonly constant: unknown } | { readonly compute: ComputedField }

/**
 * The fields of a model that are not in files, by the key of their column.
 *
 * @param sources relations by source field, by which they may also be named
 * @throws ConfigError for an unknown name, or one in two settings
 */
export function appValues(
  check: ConfigCheck,
  at: string,
  { computedFields = {}, constantFields = {}, fields }: ImportModel,
  model: ModelInfo,
  sources: ReadonlyMap<string, string>,
): ReadonlyMap<string, AppValue> {
  const known = [...model.byKey.keys(), ...sources.keys()]
  const named = new Map<string, string>(fields.map(field => [sources.get(field) ?? field, `${at}.fields`]))
  const found = new Map<string, AppValue>()
  const add = (setting: string, name: string, cell: AppValue) => {
    const key = sources.get(name) ?? name
    const other = named.get(key)
    if (other !== undefined)
      check.refuse(`${at}.${setting}.${name}`, `"${name}" stands in ${other}, too; say where it comes from`)
    named.set(key, `${at}.${setting}`)
    found.set(key, cell)
  }
  check.keys(`${at}.computedFields`, computedFields, known)
  for (const [name, compute] of Object.entries(computedFields)) {
    check.that(typeof compute === 'function', `${at}.computedFields.${name}`, 'must be a function of the row')
    add('computedFields', name, { compute: compute as ComputedField })
  }
  check.keys(`${at}.constantFields`, constantFields, known)
  for (const [name, constant] of Object.entries(constantFields)) add('constantFields', name, { constant })
  return found
}
