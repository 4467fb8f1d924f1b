import type { JsonSchema } from '../../kinds/json-schema.ts'
import type { QueryParameters } from '../../query/query-parameters.ts'

/** What a route takes and what it gives, as JSON Schema (draft 2020-12): for a description of the whole API. */
export interface RouteDescription {
  /** What it does, in one sentence. */
  readonly summary: string
  /** What else there is to know, as Markdown. */
  readonly description?: string
  /** Whether clients should stop to use it. */
  readonly deprecated?: boolean
  /** The query parameters that it reads. */
  readonly query?: QueryParameters
  /** The request headers that it reads, by name. */
  readonly headers?: QueryParameters
  /** The headers of a successful answer, beside those of every answer: by name, the schema of the value. */
  readonly answerHeaders?: Readonly<Record<string, JsonSchema>>
  /** The body that it reads; none without it. */
  readonly body?: JsonSchema
  /** Whether a request may come without the body. Default false. */
  readonly bodyOptional?: boolean
  /** The media type of the body. Default `application/json`. */
  readonly bodyType?: string
  /** `data` of the envelope of a successful answer; without it, `null`. */
  readonly data?: JsonSchema
  /** Further keys of the envelope, which a `Reply` has as `extra`. */
  readonly extra?: Readonly<Record<string, JsonSchema>>
  /** Says that the answer is a list in pages: `data` is that of a page. */
  readonly pages?: PagesDescription
  /** Media types of an answer that is a file instead of an envelope. */
  readonly fileTypes?: readonly string[]
  /** Whether the answer is an event stream; where there is `data`, for who accepts `text/event-stream`. Default false. */
  readonly events?: boolean
  /** Further statuses with the same data, of which a part failed (`success` is false), and what they mean. */
  readonly partly?: Readonly<Record<number, string>>
  /** Media types of a file that may be the answer of those statuses, in place of the envelope. */
  readonly partlyFileTypes?: readonly string[]
  /** `data` of an answer 202, where what is asked for may be done in the background: the job that will do it. */
  readonly accepted?: JsonSchema
  /** Statuses of refusals beside those that any route of its sort has, and what they mean. */
  readonly errors?: Readonly<Record<number, string>>
}

/** The answers of a list that has pages. */
export interface PagesDescription {
  /** What the envelope of a page has beside `data`, as the schema of an object: `count`, `next` and `previous`. */
  readonly links: JsonSchema
  /** `data` of the whole list, which has no links; absent where nobody gets that. */
  readonly whole?: JsonSchema
}

/**
 * What a resource says of itself, beside what its fields and mixins say.
 *
 * @example
 * describes: {
 *   label: 'Towns and cities',
 *   actions: { list: { summary: 'The cities of the world.', description: 'Those with fewer than 500 people are left out.' } },
 * }
 */
export interface ResourceDescription {
  /** What people call its records, such as `Cities`. Default: its name, in words. */
  readonly label?: string
  /** What there is to know of all its actions, as Markdown. */
  readonly description?: string
  /** Whether clients should stop to use it. */
  readonly deprecated?: boolean
  /** What the resource shows of a record, where its own `serialize` shows something else than its serializer. */
  readonly record?: JsonSchema
  /** What is said of an action otherwise than it says itself, by the action's name. */
  readonly actions?: Readonly<Record<string, Partial<RouteDescription>>>
}

/** The parts of a description that hold several things by name. */
const BY_NAME = ['query', 'headers', 'answerHeaders', 'errors'] as const

/** A description with changes: parameters, headers and errors are added, all else is replaced. `undefined` changes nothing. */
export function changedDescription(
  description: RouteDescription,
  changes: Partial<RouteDescription> = {},
): RouteDescription {
  const together = BY_NAME.map(part => [part, { ...description[part], ...changes[part] }] as const)
  return {
    ...description,
    ...Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)),
    ...Object.fromEntries(together.filter(([, values]) => Object.keys(values).length > 0)),
  }
}

/** The description of a route that takes and gives what any of these says; all else is as the first says it. */
export function oneOfDescriptions(first: RouteDescription, others: readonly RouteDescription[]): RouteDescription {
  if (others.length === 0) return first
  const all = [first, ...others]
  const body = anyOf(all.map(one => one.body))
  const data = anyOf(all.map(one => one.data))
  const whole = anyOf(all.map(one => one.pages?.whole))
  return {
    ...first,
    ...(body && { body }),
    ...(data && { data }),
    ...(first.pages && { pages: { ...first.pages, ...(whole && { whole }) } }),
  }
}

/** Schemas that say the same count once. */
function anyOf(schemas: readonly (JsonSchema | undefined)[]): JsonSchema | undefined {
  const given = schemas.filter(schema => schema !== undefined)
  const distinct = [...new Map(given.map(schema => [JSON.stringify(schema), schema])).values()]
  return distinct.length > 1 ? { anyOf: distinct } : distinct[0]
}

/** A list of values. */
export function listSchema(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

/** An object with these properties, all of which are there but the `optional` ones. */
export function objectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties).filter(name => !optional.includes(name)) }
}

/** What an action answers that may be set not to return the record: the record, or an empty object. */
export function recordOrNothing(record: JsonSchema, returnsData: boolean | undefined): JsonSchema {
  return returnsData === false ? { type: 'object', additionalProperties: false } : record
}

/** What a bulk action answers: the records in the order of the request, or their number. */
export function recordsOrCount(record: JsonSchema, returnsData: boolean | undefined): JsonSchema {
  return returnsData === false ? objectSchema({ count: WHOLE_NUMBER }) : listSchema(record)
}

export const TEXT: JsonSchema = { type: 'string' }
export const BOOLEAN: JsonSchema = { type: 'boolean' }
export const WHOLE_NUMBER: JsonSchema = { type: 'integer', minimum: 0 }
