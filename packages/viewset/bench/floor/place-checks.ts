import * as z from 'zod'

// What is asked of a place, twice: plain comparisons say whether all is well, which it mostly is; a schema says what is wrong.

const DEGREES = /^-?\d{1,3}(\.\d{1,5})?$/
const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

const place = z.object({
  name: z.string().max(200),
  latitude: z.string().regex(DEGREES),
  longitude: z.string().regex(DEGREES),
  country: z.guid(),
  region: z.guid().nullish(),
})

export type PlaceBody = z.infer<typeof place>
/** Fields of a place to change; those that are not there stay. */
export type PlaceChange = Partial<PlaceBody>
type Kind = 'whole' | 'partial'

const FIELDS = ['name', 'latitude', 'longitude', 'country', 'region'] as const
type Field = (typeof FIELDS)[number]

const isFit: Readonly<Record<Field, (value: unknown) => boolean>> = {
  name: value => typeof value === 'string' && value.length <= 200,
  latitude: isDegrees,
  longitude: isDegrees,
  country: isGuid,
  region: value => value === null || isGuid(value),
}

export interface Refusal {
  readonly errors: Readonly<Record<string, readonly string[]>>
}

/** The fields of a place, and nothing else that was sent. */
export function readPlace(body: unknown, kind: Kind = 'whole'): PlaceChange | Refusal {
  return pick(body, kind) ?? refusal(place, kind, body)
}

/** The same of many, each with its id where they are stored already. */
export function readPlaces(body: unknown, kind: Kind, has: 'id' | 'no id'): readonly PlaceChange[] | Refusal {
  if (Array.isArray(body) && body.length > 0 && body.length <= 1_000) {
    const places: PlaceChange[] = []
    for (const item of body) {
      const found: (PlaceChange & { id?: string }) | undefined = pick(item, kind)
      if (!found || (has === 'id' && !isGuid(item.id))) break
      if (has === 'id') found.id = item.id
      places.push(found)
    }
    if (places.length === body.length) return places
  }
  const item = kind === 'whole' ? place : place.partial()
  return errorsOf(
    z
      .array(has === 'id' ? item.extend({ id: z.guid() }) : item)
      .min(1)
      .max(1_000),
    body,
  )
}

export function isGuid(value: unknown): value is string {
  return typeof value === 'string' && GUID.test(value)
}

function isDegrees(value: unknown): boolean {
  return typeof value === 'string' && DEGREES.test(value)
}

function pick(body: unknown, kind: Kind): PlaceChange | undefined {
  if (typeof body !== 'object' || body === null) return undefined
  const sent = body as Readonly<Partial<Record<Field, never>>>
  const picked: Partial<Record<Field, never>> = {}
  for (const field of FIELDS) {
    const value = sent[field]
    if (value === undefined) {
      if (kind === 'whole' && field !== 'region') return undefined
    } else if (isFit[field](value)) picked[field] = value
    else return undefined
  }
  return picked
}

function refusal(schema: typeof place, kind: Kind, body: unknown): Refusal {
  return errorsOf(kind === 'whole' ? schema : schema.partial(), body)
}

function errorsOf(schema: z.ZodType, body: unknown): Refusal {
  const issues = schema.safeParse(body).error?.issues ?? []
  return { errors: Object.fromEntries(issues.map(({ path, message }) => [path.join('.'), [message]])) }
}
