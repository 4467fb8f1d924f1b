import { NON_FIELD_ERRORS } from '../core/errors.ts'
import { foldCase } from '../core/fold-case.ts'
import { kindOf } from '../kinds/kinds.ts'
import type { ColumnInfo, ModelInfo, Unique } from '../model/model-info.ts'
import { NestedDraft } from '../records/drafts.ts'
import type { Database } from '../store/database.ts'
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
  for (const unique of uniquesOf(info)) {
    const claims = validated.flatMap(entry => claimOf(entry, unique.columns))
    if (claims.length === 0) continue
    const tuples = claims.map(claim => claim.tuple)
    const matches = await new QuerySet(database, info).matches(unique.columns, tuples, unique.ignoreCase)
    const keyOf = (entry: ValidatedItem) => entry.key ?? entry.record?.[info.primaryKey.key]
    // What a record of the same body gives up is free; whether it also gives it up in time is for the database to say.
    const changing = new Set(validated.filter(entry => touches(entry, unique.columns)).map(keyOf))
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

function touches({ values }: ValidatedItem, columns: readonly ColumnInfo[]): boolean {
  return columns.some(({ key }) => values[key] !== undefined)
}

/** SQL's unique constraints let NULLs pass, and an item that does not touch the columns claims nothing. */
function claimOf(entry: ValidatedItem, columns: readonly ColumnInfo[]): Claim[] {
  if (!touches(entry, columns)) return []
  const { values } = entry
  const isNew = entry.key === undefined && entry.record === undefined
  const tuple = columns.map(({ key, createValue }) => {
    if (key in values) return values[key]
    // What a new record is given without a client's help is a part of it, such as a status of "draft".
    return isNew ? createValue?.() : entry.record?.[key]
  })
  // What refers to a record that is yet to be created cannot be taken, and what SQL will say is not known yet.
  const claimsNothing = (value: unknown) =>
    value === null || value === undefined || value instanceof NestedDraft || isSql(value)
  return tuple.some(claimsNothing) ? [] : [{ entry, tuple }]
}

function identityOf(column: ColumnInfo, value: unknown, ignoreCase: boolean): string {
  const identity = kindOf(column).identity(value)
  return ignoreCase ? foldCase(identity) : identity
}

function complain({ fields }: ModelSerializer, { errors }: ValidatedItem, { columns }: Unique): void {
  const wireOf = (column: ColumnInfo) =>
    fields.find(field => field.kind === 'stored' && field.column === column)?.wire ?? column.wire
  const names = columns.map(wireOf)
  if (names.length > 1) errors[NON_FIELD_ERRORS] = [`The fields ${names.join(', ')} must make a unique set.`]
  else errors[names[0] as string] = ['This field must be unique.']
}
