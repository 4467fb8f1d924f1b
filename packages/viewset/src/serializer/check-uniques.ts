import { NON_FIELD_ERRORS } from '../core/errors.ts'
import { foldCase } from '../core/text.ts'
import { kindOf } from '../kinds/kinds.ts'
import type { ColumnInfo, ModelInfo, PartialUnique, Unique } from '../model/model-info.ts'
import { NestedDraft } from '../records/drafts.ts'
import { rowsMeeting } from '../store/absent.ts'
import type { Database } from '../store/connection/database.ts'
import { QuerySet } from '../store/queryset.ts'
import { isSql } from '../store/sql-value.ts'
import type { ValidatedItem } from './item.ts'
import type { ModelSerializer } from './model-serializer.ts'

/** An item together with what it says of the columns of one unique constraint. */
interface Claim {
  readonly entry: ValidatedItem
  readonly tuple: readonly unknown[]
}

/**
 * No two records may have the same values in columns that are unique, alone or together: one statement for each
 * constraint that the items touch. The database enforces it all the same; this is what names the field beforehand.
 */
export async function checkUniques(
  serializer: ModelSerializer,
  database: Database,
  validated: readonly ValidatedItem[],
): Promise<void> {
  const { info } = serializer
  for (const unique of [...uniquesOf(info), ...info.partialUniques]) {
    const among = isPartial(unique) ? unique : undefined
    const touched = [...unique.columns, ...(among?.whereColumns ?? [])]
    const touching = validated.filter(entry => touches(entry, touched))
    const all = touching.flatMap(entry => claimOf(entry, unique.columns))
    const claims = among ? await claimsAmong(database, among, all) : all
    if (claims.length === 0) continue
    const tuples = claims.map(claim => claim.tuple)
    const rows = new QuerySet(database, info).filter(among?.where)
    const matches = await rows.matches(unique.columns, tuples, unique.ignoreCase)
    const keyOf = (entry: ValidatedItem) => entry.key ?? entry.record?.[info.primaryKey.key]
    // What a record of the same body gives up is free; whether it also gives it up in time is for the database to say.
    const changing = new Set(touching.map(keyOf))
    const taken = new Set(matches.filter(({ key }) => !changing.has(key)).map(match => match.position))
    const seen = new Set<string>()
    claims.forEach(({ entry, tuple }, position) => {
      const identity = JSON.stringify(
        tuple.map((value, at) => identityOf(unique.columns[at] as ColumnInfo, value, unique.ignoreCase)),
      )
      if (taken.has(position) || seen.has(identity)) complain(serializer, entry, unique)
      seen.add(identity)
    })
  }
}

/** What occurs once in a model: its primary key, too. */
export function uniquesOf({ primaryKey, uniques }: ModelInfo): readonly Unique[] {
  return [{ name: undefined, columns: [primaryKey], ignoreCase: false }, ...uniques]
}

function isPartial(unique: Unique): unique is PartialUnique {
  return 'where' in unique
}

/** Of some claims, those of items that are to be rows among which the values must be unique. */
async function claimsAmong(
  database: Database,
  unique: PartialUnique,
  claims: readonly Claim[],
): Promise<readonly Claim[]> {
  const { whereColumns } = unique
  // What SQL will say of a row is not known yet; then the database refuses the write.
  const known = claims.filter(({ entry }) => whereColumns.every(column => !isUnknown(valueIn(entry, column))))
  const rows = known.map(({ entry }) =>
    Object.fromEntries(whereColumns.map(column => [column.key, valueIn(entry, column)])),
  )
  const among = await rowsMeeting(database, unique, rows)
  return known.filter((_, position) => among.has(position))
}

function touches({ values }: ValidatedItem, columns: readonly ColumnInfo[]): boolean {
  return columns.some(({ key }) => values[key] !== undefined)
}

/** SQL's unique constraints let NULLs pass. */
function claimOf(entry: ValidatedItem, columns: readonly ColumnInfo[]): Claim[] {
  const tuple = columns.map(column => valueIn(entry, column))
  const claimsNothing = (value: unknown) => value === null || value === undefined || isUnknown(value)
  return tuple.some(claimsNothing) ? [] : [{ entry, tuple }]
}

/** What the record of an item will have in a column. The record is read only if it is needed: see `SubmittedItem`. */
function valueIn(entry: ValidatedItem, { key, createValue }: ColumnInfo): unknown {
  if (key in entry.values) return entry.values[key]
  const isNew = entry.key === undefined && entry.record === undefined
  // What a new record is given without a client's help is a part of it, such as a status of "draft".
  return isNew ? createValue?.() : entry.record?.[key]
}

/** What refers to a record that is yet to be created cannot be taken, and what SQL will say is not known yet. */
function isUnknown(value: unknown): boolean {
  return value instanceof NestedDraft || isSql(value)
}

function identityOf(column: ColumnInfo, value: unknown, ignoreCase: boolean): string {
  const identity = kindOf(column).identity(value)
  return ignoreCase ? foldCase(identity) : identity
}

function complain({ fields }: ModelSerializer, entry: ValidatedItem, unique: Unique): void {
  const { errors } = entry
  const wireOf = (column: ColumnInfo) =>
    fields.find(field => field.kind === 'stored' && field.column === column)?.wire ?? column.wire
  const names = unique.columns.map(wireOf)
  if (isPartial(unique) && !touches(entry, unique.columns)) {
    // The item only makes its record one of those among which the values are unique.
    const sent = unique.whereColumns.filter(column => touches(entry, [column]))
    for (const column of sent) errors[wireOf(column)] = [`Another record has the same ${names.join(', ')}.`]
  } else if (names.length > 1) errors[NON_FIELD_ERRORS] = [`The fields ${names.join(', ')} must make a unique set.`]
  else errors[names[0] as string] = ['This field must be unique.']
}
