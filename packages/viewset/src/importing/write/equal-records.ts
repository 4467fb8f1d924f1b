import type { KindName } from '../../kinds/kind.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import { fillsField } from '../plan/plan.ts'
import type { ModelReader } from '../read/model-reader.ts'
import type { ImportRecord } from './row-groups.ts'
import type { WriteContext } from './write-context.ts'

/** Kinds of which the database knows equal values. Others are compared in code. */
const COMPARED: ReadonlySet<KindName> = new Set([
  'text',
  'enumeration',
  'integer',
  'bigint',
  'decimal',
  'boolean',
  'date',
  'timestamp',
  'uuid',
])

/**
 * The records that are stored with the same values, where only the values decide: for an import that leaves such
 * records alone, and that finds them by a constraint. A record that is not among them may still be equal.
 */
export async function equalRecords(
  { visible, hooks, diff }: WriteContext,
  reader: ModelReader,
  records: readonly ImportRecord[],
): Promise<ReadonlySet<ImportRecord>> {
  const { plan } = reader
  const { checkRecord, fixedValues = {} } = hooks(plan)
  // The permission of a record comes before what its report says.
  if (!plan.policy.skipUnchanged || checkRecord || diff) return NONE
  const columns = comparedColumns(reader, fixedValues, records)
  const { columns: keys, ignoreCase, where, isConstrained } = plan.unique
  if (!columns || ignoreCase || where || !isConstrained) return NONE
  const found = records.filter(({ values }) => keys.every(({ key }) => (values[key] ?? null) !== null))
  const compared = columns.filter(column => !keys.includes(column))
  const tuples = found.map(({ values }) => [...keys, ...compared].map(({ key }) => values[key]))
  const equal = await visible(plan).equalTo(keys, compared, tuples)
  return new Set(equal.flatMap(position => found[position] ?? []))
}

const NONE: ReadonlySet<ImportRecord> = new Set()

/** The columns that the records would write; `undefined` if the database cannot compare them all. */
function comparedColumns(
  { plan, sight }: ModelReader,
  fixedValues: Readonly<Record<string, unknown>>,
  records: readonly ImportRecord[],
): readonly ColumnInfo[] | undefined {
  const columns: ColumnInfo[] = []
  for (const imported of plan.columns) {
    const { column, links, list } = imported
    if (!fillsField(imported) || column.key in fixedValues) continue
    const given = records.filter(({ values }) => values[column.key] !== undefined).length
    if (given === 0 && !links) continue
    const isComparable = COMPARED.has(column.kind) && !column.ownType
    // A write-only column is always written again.
    if (links || list || given < records.length || !isComparable || sight.secret.has(imported)) return undefined
    columns.push(column)
  }
  return columns
}
