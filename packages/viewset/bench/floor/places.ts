import { type CityRow, cityOf } from './cities.ts'
import { isGuid, type PlaceBody, type PlaceChange, type Refusal, readPlace, readPlaces } from './place-checks.ts'
import { type FloorResponse, failure, type Handler, success, timestamp } from './server.ts'

/** A place to be stored. */
export interface NewPlace extends PlaceBody {
  readonly id: string
  /** Of its creation, and of its last change so far. */
  readonly at: string
}

export interface Change extends PlaceChange {
  readonly id: string
}

/**
 * What is written, each by one statement that answers with the rows as they are now, in any order. A country or region
 * that does not exist is the database's to find; only then does `missing` ask for all of them.
 */
export interface PlaceStore {
  insert(place: NewPlace): MaybePromise<CityRow | undefined>
  insertMany(places: readonly NewPlace[]): MaybePromise<readonly CityRow[]>
  update(change: Change, at: string): MaybePromise<CityRow | undefined>
  /** Changes nothing where one of them does not exist. */
  updateMany(changes: readonly Change[], at: string): MaybePromise<readonly CityRow[]>
  /** Returns the ids of those that there were. */
  remove(ids: readonly string[]): MaybePromise<readonly string[]>
  /** Of these countries and regions, the ones that do not exist. */
  missing(countries: readonly string[], regions: readonly string[]): MaybePromise<readonly string[]>
  /** Whether an error says that a foreign key leads nowhere. */
  isMissingParent(error: unknown): boolean
}

/** A bit for each field that is given. */
export function givenFields(
  change: Change,
  fields: readonly (readonly [column: string, field: keyof Change, ...unknown[]])[],
): number {
  return fields.reduce((bits, [, field], n) => (change[field] === undefined ? bits : bits | (1 << n)), 0)
}

type MaybePromise<T> = T | Promise<T>

export function createPlace(store: PlaceStore): Handler {
  return ({ body }) => {
    const read = readPlace(body)
    if ('errors' in read) return invalid(read)
    const created: NewPlace = { ...(read as PlaceBody), id: crypto.randomUUID(), at: timestamp() }
    return explained(store, [created], async () => success(cityOf((await store.insert(created)) as CityRow), 201))
  }
}

export function updatePlace(store: PlaceStore): Handler {
  return ({ id, body, method }) => {
    if (!isGuid(id)) return failure(404, 'There is no such record, or you may not see it.')
    const read = readPlace(body, method === 'PUT' ? 'whole' : 'partial')
    if ('errors' in read) return invalid(read)
    return explained(store, [read], async () => {
      const row = await store.update({ ...read, id }, timestamp())
      return row ? success(cityOf(row)) : failure(404, 'There is no such record, or you may not see it.')
    })
  }
}

export function createPlaces(store: PlaceStore): Handler {
  return ({ body }) => {
    const read = readPlaces(body, 'whole', 'no id')
    if ('errors' in read) return invalid(read)
    const at = timestamp()
    const created = (read as readonly PlaceBody[]).map(item => ({ ...item, id: crypto.randomUUID(), at }))
    return explained(store, created, async () => success(inOrder(await store.insertMany(created), created), 201))
  }
}

export function updatePlaces(store: PlaceStore): Handler {
  return ({ body, method }) => {
    const read = readPlaces(body, method === 'PUT' ? 'whole' : 'partial', 'id')
    if ('errors' in read) return invalid(read)
    const changes = read as readonly Change[]
    return explained(store, changes, async () => {
      const rows = await store.updateMany(changes, timestamp())
      return rows.length === changes.length ? success(inOrder(rows, changes)) : invalid({ errors: {} })
    })
  }
}

export function deletePlaces(store: PlaceStore): Handler {
  return async ({ body }) => {
    if (!Array.isArray(body) || body.length === 0 || body.length > 1_000) return invalid({ errors: {} })
    const found = new Set(await store.remove([...new Set(body.filter(isGuid))]))
    const missing_ids = body.filter(candidate => !found.has(candidate))
    return success({ requested_count: body.length, count: found.size, missing_ids })
  }
}

/** Writes first; only a fault asks which of the relations it was. */
async function explained(
  store: PlaceStore,
  places: readonly PlaceChange[],
  write: () => Promise<FloorResponse>,
): Promise<FloorResponse> {
  try {
    return await write()
  } catch (error) {
    if (!store.isMissingParent(error)) throw error
    return invalid(await unknownRelations(store, places))
  }
}

async function unknownRelations(store: PlaceStore, places: readonly PlaceChange[]): Promise<Refusal> {
  const countries = new Set(places.flatMap(({ country }) => country ?? []))
  const regions = new Set(places.flatMap(({ region }) => region ?? []))
  const missing = new Set(await store.missing([...countries], [...regions]))
  const errors: Record<string, string[]> = {}
  places.forEach(({ country, region }, index) => {
    if (country && missing.has(country)) errors[`${index}.country`] = [unknownKey(country)]
    if (region && missing.has(region)) errors[`${index}.region`] = [unknownKey(region)]
  })
  return { errors }
}

function unknownKey(key: string): string {
  return `Invalid pk "${key}" - object does not exist.`
}

function inOrder(rows: readonly CityRow[], places: readonly { readonly id: string }[]) {
  const byId = new Map(rows.map(row => [row[0], row]))
  return places.map(({ id }) => cityOf(byId.get(id) as CityRow))
}

function invalid({ errors }: Refusal): FloorResponse {
  const message = 'The submitted data is not valid.'
  return { status: 400, body: JSON.stringify({ success: false, timestamp: timestamp(), message, data: null, errors }) }
}
