import * as z from 'zod'
import { type CityRow, cityOf } from './cities.ts'
import { type FloorResponse, type Handler, success, timestamp } from './server.ts'

const place = z.object({
  name: z.string().max(200),
  latitude: z.string().regex(/^-?\d{1,3}(\.\d{1,5})?$/),
  longitude: z.string().regex(/^-?\d{1,3}(\.\d{1,5})?$/),
  country: z.guid(),
  region: z.guid().nullish(),
})
const id = z.guid()
const newPlaces = z.array(place).min(1).max(1_000)
const wholePlaces = z.array(place.extend({ id })).min(1).max(1_000)
const changedPlaces = z.array(place.partial().extend({ id })).min(1).max(1_000)
const ids = z.array(z.unknown()).min(1).max(1_000)

/** A place to be stored. */
export interface NewPlace extends z.infer<typeof place> {
  readonly id: string
  /** Of its creation, and of its last change so far. */
  readonly at: string
}

export type Change = z.infer<typeof changedPlaces>[number]

/** The statements of a database, for as long as a transaction is open. */
export interface PlaceWriter {
  /** Of these countries and regions, the ones that do not exist. */
  missing(countries: readonly string[], regions: readonly string[]): MaybePromise<readonly string[]>
  insert(places: readonly NewPlace[]): MaybePromise<unknown>
  /** Locks places in the order of their ids and returns the ids of those that exist. */
  lock(ids: readonly string[]): MaybePromise<readonly string[]>
  update(changes: readonly Change[], at: string): MaybePromise<unknown>
  read(ids: readonly string[]): MaybePromise<readonly CityRow[]>
  /** Returns how many there were. */
  remove(ids: readonly string[]): MaybePromise<number>
}

type MaybePromise<T> = T | Promise<T>

/** Runs `fn` in a transaction. */
export type InTransaction = <T>(fn: (writer: PlaceWriter) => Promise<T>) => Promise<T>

export function createPlace(inTransaction: InTransaction): Handler {
  return async ({ body }) => {
    const result = place.safeParse(body)
    if (!result.success) return invalid(messages(result.error.issues))
    const created: NewPlace = { ...result.data, id: crypto.randomUUID(), at: timestamp() }
    return inTransaction(async writer => {
      const errors = await unknownRelations(writer, [created])
      if (errors) return invalid(errors)
      await writer.insert([created])
      const [row] = await writer.read([created.id])
      return success(cityOf(row as CityRow), 201)
    })
  }
}

export function createPlaces(inTransaction: InTransaction): Handler {
  return async ({ body }) => {
    const result = newPlaces.safeParse(body)
    if (!result.success) return invalid(messages(result.error.issues))
    const at = timestamp()
    const created = result.data.map(item => ({ ...item, id: crypto.randomUUID(), at }))
    return inTransaction(async writer => {
      const errors = await unknownRelations(writer, created)
      if (errors) return invalid(errors)
      await writer.insert(created)
      return inOrder(writer, created, 201)
    })
  }
}

export function updatePlaces(inTransaction: InTransaction): Handler {
  return async ({ body, method }) => {
    const result = (method === 'PUT' ? wholePlaces : changedPlaces).safeParse(body)
    if (!result.success) return invalid(messages(result.error.issues))
    const changes: readonly Change[] = result.data
    return inTransaction(async writer => {
      const found = new Set(await writer.lock(changes.map(change => change.id)))
      const errors = await unknownRelations(writer, changes)
      if (errors || found.size < changes.length) return invalid(errors ?? {})
      await writer.update(changes, timestamp())
      return inOrder(writer, changes, 200)
    })
  }
}

export function deletePlaces(inTransaction: InTransaction): Handler {
  return async ({ body }) => {
    const result = ids.safeParse(body)
    if (!result.success) return invalid(messages(result.error.issues))
    const submitted = result.data
    return inTransaction(async writer => {
      const valid = submitted.filter(candidate => id.safeParse(candidate).success) as string[]
      const found = new Set(await writer.lock([...new Set(valid)]))
      const count = await writer.remove([...found])
      const missing_ids = submitted.filter(candidate => !found.has(candidate as string))
      return success({ requested_count: submitted.length, count, missing_ids })
    })
  }
}

type Errors = Readonly<Record<string, readonly string[]>>

/** Every country and region must exist; one that does not is told by item and field. */
async function unknownRelations(
  writer: PlaceWriter,
  places: readonly Pick<Change, 'country' | 'region'>[],
): Promise<Errors | undefined> {
  const countries = new Set(places.flatMap(({ country }) => country ?? []))
  const regions = new Set(places.flatMap(({ region }) => region ?? []))
  const missing = new Set(await writer.missing([...countries], [...regions]))
  if (missing.size === 0) return undefined
  const errors: Record<string, string[]> = {}
  places.forEach(({ country, region }, index) => {
    if (country && missing.has(country)) errors[`${index}.country`] = [unknownKey(country)]
    if (region && missing.has(region)) errors[`${index}.region`] = [unknownKey(region)]
  })
  return errors
}

function unknownKey(key: string): string {
  return `Invalid pk "${key}" - object does not exist.`
}

async function inOrder(writer: PlaceWriter, places: readonly { readonly id: string }[], status: number) {
  const rows = await writer.read(places.map(item => item.id))
  const byId = new Map(rows.map(row => [row[0], row]))
  return success(
    places.map(item => cityOf(byId.get(item.id) as CityRow)),
    status,
  )
}

function messages(issues: readonly z.core.$ZodIssue[]): Errors {
  return Object.fromEntries(issues.map(({ path, message }) => [path.join('.'), [message]]))
}

function invalid(errors: Errors): FloorResponse {
  const body = {
    success: false,
    timestamp: timestamp(),
    message: 'The submitted data is not valid.',
    data: null,
    errors,
  }
  return { status: 400, body: JSON.stringify(body) }
}
