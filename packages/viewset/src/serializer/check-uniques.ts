import { NON_FIELD_ERRORS } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import { foldCase } from '../core/text.ts'
import { kindOf } from '../kinds/kinds.ts'
import type { ColumnInfo, ModelInfo, PartialUnique, Unique } from '../model/model-info.ts'
import { namedColumns } from '../model/unnamed-columns.ts'
import { NestedDraft } from '../records/drafts.ts'
import { rowsMeeting } from '../store/absent.ts'
import type { Database } from '../store/connection/database.ts'
import { QuerySet } from '../store/queryset.ts'
import { keyIn, keyText } from '../store/row-order.ts'
import { isSql } from '../store/sql-value.ts'
import { isReadable } from './fields.ts'
import { type ItemOwner, isNewItem, keepsValue, outermost, storedValue, type ValidatedItem } from './item.ts'
import type { ModelSerializer } from './model-serializer.ts'
import type { LeavingRecord } from './relations/related-records.ts'

interface Claim {
  readonly entry: ValidatedItem
  readonly tuple: readonly unknown[]
}

/** The unique values that the records of a request will have, at all its levels, by the constraint. */
export class ClaimedValues {
  readonly #first = new Map<Unique, Map<string, ValidatedItem>>()
  /**
   * Items whose values depend on other items of the request, if these are written one after the other. Otherwise
   * `undefined`: the request is one write.
   */
  readonly contested: Set<ValidatedItem> | undefined

  constructor(contested?: Set<ValidatedItem>) {
    this.contested = contested
  }

  /** Returns whether another record of the same write has the value. */
  claim(unique: Unique, entry: ValidatedItem, identity: string): boolean {
    const known = this.#first.get(unique) ?? new Map<string, ValidatedItem>()
    this.#first.set(unique, known)
    const first = known.get(identity)
    if (!first) known.set(identity, outermost(entry))
    return first !== undefined && this.isOfOneWrite(entry, first)
  }

  /** Whether two items are written together. If not, the first one is contested. */
  isOfOneWrite(entry: ValidatedItem, other: ValidatedItem): boolean {
    if (!this.contested || outermost(entry) === outermost(other)) return true
    this.contested.add(outermost(entry))
    return false
  }
}

/**
 * Unique values must not be taken, one statement for each touched constraint. The database enforces it anyway; this
 * check names the field. `leaving` are stored records that the request deletes: their values are free. `claimed` has the
 * values of other levels of the request.
 */
export async function checkUniques(
  serializer: ModelSerializer,
  database: Database,
  validated: readonly ValidatedItem[],
  leaving: readonly LeavingRecord[],
  claimed: ClaimedValues,
): Promise<void> {
  const { info } = serializer
  for (const unique of constraintsOf(info)) {
    const among = isPartial(unique) ? unique : undefined
    const touched = [...unique.columns, ...(among?.whereColumns ?? [])]
    const touching = validated.filter(entry => touches(entry, touched))
    const all = touching.flatMap(entry => claimOf(entry, unique.columns))
    const claims = among ? await claimsAmong(database, among, all) : all
    if (claims.length === 0) continue
    const tuples = claims.map(claim => claim.tuple)
    const rows = new QuerySet(database, info).filter(among?.where)
    const asked = [...claims.keys()].filter(position => mayBeTaken(claims[position] as Claim, touched))
    const matches = await rows.matches(
      unique.columns,
      asked.map(position => tuples[position] ?? []),
      unique.ignoreCase,
    )
    // An item with a key may have no record.
    const keyOf = (entry: ValidatedItem) => entry.key ?? (entry.record && keyIn(info, entry.record))
    // A value that another record of the body gives up is free. The database decides about the order.
    const changing = new Map<string, ValidatedItem>()
    for (const entry of touching) {
      const key = keyOf(entry)
      if (key !== undefined) changing.set(keyText(info, key), entry)
    }
    // A row that stays keeps its values, but those that are unique among active rows only.
    const isOfActive = among?.whereColumns.some(({ key }) => key === 'isActive') === true
    for (const { record, owner, isKept } of leaving) {
      if (!isKept || isOfActive) changing.set(keyText(info, keyIn(info, record)), owner)
    }
    const taken = new Set<Claim>()
    for (const { key, position } of matches) {
      const claim = claims[asked[position] as number] as Claim
      const giver = changing.size > 0 ? changing.get(keyText(info, key)) : undefined
      if (!giver) taken.add(claim)
      else claimed.isOfOneWrite(claim.entry, giver)
    }
    for (const claim of claims) {
      const { entry, tuple } = claim
      const identity = JSON.stringify(
        tuple.map((value, at) => identityOf(unique.columns[at] as ColumnInfo, value, unique.ignoreCase)),
      )
      const isSent = claimed.claim(unique, entry, identity)
      if (taken.has(claim)) complain(serializer, entry, unique)
      else if (isSent) complain(serializer, entry, unique, SENT)
    }
  }
}

export function uniquesOf({ key, uniques }: ModelInfo): readonly Unique[] {
  return [...(key.length > 0 ? [{ name: undefined, columns: key, ignoreCase: false }] : []), ...uniques]
}

const constraints = new WeakMap<ModelInfo, readonly Unique[]>()

/** All unique constraints of a model, each always as the same object. */
function constraintsOf(info: ModelInfo): readonly Unique[] {
  const known = constraints.get(info) ?? [...uniquesOf(info), ...info.partialUniques]
  constraints.set(info, known)
  return known
}

function isPartial(unique: Unique): unique is PartialUnique {
  return 'where' in unique
}

/** Only items whose rows will meet the constraint's condition claim values. */
async function claimsAmong(
  database: Database,
  unique: PartialUnique,
  claims: readonly Claim[],
): Promise<readonly Claim[]> {
  const { whereColumns } = unique
  // Computed SQL values are unknown. The database checks them.
  const known = claims.filter(({ entry }) => whereColumns.every(column => !isUnknown(valueIn(entry, column))))
  const rows = known.map(({ entry }) =>
    Object.fromEntries(whereColumns.map(column => [column.key, valueIn(entry, column)])),
  )
  const among = await rowsMeeting(database, unique, rows)
  return known.filter((_, position) => among.has(position))
}

/** A record that keeps its values holds them itself, and no stored record belongs to an owner that is new. */
function mayBeTaken({ entry, tuple }: Claim, columns: readonly ColumnInfo[]): boolean {
  return !tuple.some(value => value instanceof NewOwner) && !columns.every(column => keepsValue(entry, column))
}

function touches({ values }: ValidatedItem, columns: readonly ColumnInfo[]): boolean {
  return columns.some(({ key }) => values[key] !== undefined)
}

/** SQL's unique constraints ignore NULLs. */
function claimOf(entry: ValidatedItem, columns: readonly ColumnInfo[]): Claim[] {
  const tuple = columns.map(column => valueIn(entry, column))
  const claimsNothing = (value: unknown) => value === null || value === undefined || isUnknown(value)
  return tuple.some(claimsNothing) ? [] : [{ entry, tuple }]
}

/** The item's resulting value in a column. Reads the record only if needed. */
function valueIn(entry: ValidatedItem, { key, createValue }: ColumnInfo): unknown {
  if (key in entry.values) return entry.values[key]
  const isNew = isNewItem(entry)
  if (isNew && entry.owner?.column.key === key) return ownerIn(entry.owner)
  // Defaults of a new record count too, such as a status of "draft".
  return isNew ? createValue?.() : entry.record?.[key]
}

/** The key of an owner that is new itself. Its children can only collide with each other. */
class NewOwner {
  static readonly #known = new WeakMap<object, NewOwner>()
  static #count = 0
  readonly #number = NewOwner.#count++

  static of(item: ValidatedItem): NewOwner {
    const owner = NewOwner.#known.get(item) ?? new NewOwner()
    NewOwner.#known.set(item, owner)
    return owner
  }

  get identity(): string {
    return `new ${this.#number}`
  }
}

function ownerIn({ of, ownerKey }: ItemOwner): unknown {
  return storedValue(of, ownerKey) ?? of.values[ownerKey.key] ?? NewOwner.of(of)
}

/** References to new records cannot be taken, and SQL values are unknown. */
function isUnknown(value: unknown): boolean {
  return value instanceof NestedDraft || isSql(value)
}

function identityOf(column: ColumnInfo, value: unknown, ignoreCase: boolean): string {
  if (value instanceof NewOwner) return value.identity
  const identity = kindOf(column).identity(value)
  return ignoreCase ? foldCase(identity) : identity
}

const STORED = { one: 'unique', several: 'unique.together' } as const
const SENT = { one: 'unique.item', several: 'unique.items_together' } as const

function complain(
  { fields }: ModelSerializer,
  entry: ValidatedItem,
  unique: Unique,
  by: typeof STORED | typeof SENT = STORED,
): void {
  const { errors } = entry
  const wireOf = (column: ColumnInfo) =>
    fields.find(field => field.kind === 'stored' && field.column === column)?.wire ?? column.wire
  const isKnown = (column: ColumnInfo) =>
    fields.some(
      field => field.kind === 'stored' && field.column === column && (isReadable(field) || touches(entry, [column])),
    )
  // The client sends a child without its owner, so no error names the owner.
  const sendable = unique.columns.filter(column => column !== entry.owner?.column)
  const names = namedColumns(sendable.length === 0 ? unique.columns : sendable, isKnown).map(wireOf)
  if (isPartial(unique) && !touches(entry, unique.columns)) {
    // The item only moves its record into the constraint's condition.
    const sent = namedColumns(
      unique.whereColumns.filter(column => touches(entry, [column])),
      isKnown,
    ).map(wireOf)
    const text = names.length === 0 ? message('unique') : message('unique.same', { fields: names.join(', ') })
    for (const field of sent.length === 0 ? [NON_FIELD_ERRORS] : sent) errors[field] = [text]
  } else if (names.length > 1) errors[NON_FIELD_ERRORS] = [message(by.several, { fields: names.join(', ') })]
  else errors[names[0] ?? NON_FIELD_ERRORS] = [message(by.one)]
}
