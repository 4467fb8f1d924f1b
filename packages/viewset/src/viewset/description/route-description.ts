import { checkOptions, type SettingRules, setting } from '../../core/setting-rules.ts'
import type { JsonSchema } from '../../kinds/json-schema.ts'
import type { QueryParameters } from '../../query/query-parameters.ts'
import type { HttpMethod } from '../http-method.ts'

/** What a route takes and returns, in JSON Schema (draft 2020-12), for the API's description. */
export interface RouteDescription {
  /** What the route does, in one sentence. */
  readonly summary: string
  /** More about the route, as Markdown. */
  readonly description?: string
  /** Whether clients should stop using it. */
  readonly deprecated?: boolean
  /** The query parameters that it reads. */
  readonly query?: QueryParameters
  /** The request headers that it reads, by name. */
  readonly headers?: QueryParameters
  /** Additional headers of a successful answer: the schemas of their values by name. */
  readonly answerHeaders?: Readonly<Record<string, JsonSchema>>
  /** The schema of the body. Without it, the route reads no body. */
  readonly body?: JsonSchema
  /** Whether a request may omit the body. Default false. */
  readonly bodyOptional?: boolean
  /** The media type of the body. Default `application/json`. */
  readonly bodyType?: string
  /** The schema of the envelope's `data`. Without it, `data` is `null`. */
  readonly data?: JsonSchema
  /** Further keys of the envelope, as in `extra` of a `Reply`. */
  readonly extra?: Readonly<Record<string, JsonSchema>>
  /** For a list in pages. `data` is then the schema of a page. */
  readonly pages?: PagesDescription
  /** The media types of an answer that is a file instead of an envelope. */
  readonly fileTypes?: readonly string[]
  /**
   * Whether the answer is an event stream. With `data`, it is one only for clients that accept `text/event-stream`.
   * Default false.
   */
  readonly events?: boolean
  /** The media types of an answer in place of the envelope, for clients that prefer them: `text/html` for a page. */
  readonly otherTypes?: readonly string[]
  /** Statuses of a partial failure (`success` is false) with the same data, and their meanings. */
  readonly partly?: Readonly<Record<number, string>>
  /** The media types of a file that may replace the envelope for those statuses. */
  readonly partlyFileTypes?: readonly string[]
  /** `data` of a 202, if the work may be done in the background: the job. */
  readonly accepted?: JsonSchema
  /** Whether the answer may be 304, for a client that has it already. */
  readonly notModified?: boolean
  /** Additional error statuses of this route, and their meanings. */
  readonly errors?: Readonly<Record<number, string>>
}

/** The answers of a list in pages. */
export interface PagesDescription {
  /** The schema of the envelope's keys beside `data`: `count`, `next` and `previous`. */
  readonly links: JsonSchema
  /** `data` of the whole list, without links. Leave it out if no client may get the whole list. */
  readonly whole?: JsonSchema
}

/**
 * Additions of a resource to the description of its fields and mixins.
 *
 * @example
 * describes: {
 *   label: 'Towns and cities',
 *   actions: { list: { summary: 'The cities of the world.', description: 'Those with fewer than 500 people are left out.' } },
 * }
 */
export interface ResourceDescription {
  /** A title for its records, such as `Cities`. Default: its name in words. */
  readonly label?: string
  /** More about all its actions, as Markdown. */
  readonly description?: string
  /** Whether clients should stop using it. */
  readonly deprecated?: boolean
  /** The schema of a record, if an overridden `serialize` shows something else than the serializer. */
  readonly record?: JsonSchema
  /** Changes to the description of actions, by their names. */
  readonly actions?: Readonly<Record<string, Partial<RouteDescription>>>
}

const BY_NAME = ['query', 'headers', 'answerHeaders', 'errors'] as const

/** Parameters, headers and errors are added, other parts are replaced. `undefined` changes nothing. */
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

/** The description of a route with several alternatives. Parts that cannot be combined are those of the first. */
export function oneOfDescriptions(first: RouteDescription, others: readonly RouteDescription[]): RouteDescription {
  if (others.length === 0) return first
  const all = [first, ...others]
  const body = anyOfSchemas(all.map(one => one.body))
  const data = anyOfSchemas(all.map(one => one.data))
  const whole = anyOfSchemas(all.map(one => one.pages?.whole))
  return {
    ...first,
    ...(body && { body }),
    ...(data && { data }),
    ...(first.pages && { pages: { ...first.pages, ...(whole && { whole }) } }),
  }
}

/** Combines schemas. Equal ones count once. */
function anyOfSchemas(schemas: readonly (JsonSchema | undefined)[]): JsonSchema | undefined {
  const given = schemas.filter(schema => schema !== undefined)
  const distinct = [...new Map(given.map(schema => [JSON.stringify(schema), schema])).values()]
  return distinct.length > 1 ? { anyOf: distinct } : distinct[0]
}

export function listSchema(items: JsonSchema): JsonSchema {
  return { type: 'array', items }
}

export function objectSchema(
  properties: Readonly<Record<string, JsonSchema>>,
  optional: readonly string[] = [],
): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties).filter(name => !optional.includes(name)) }
}

export function recordOrNothing(record: JsonSchema, returnsData: boolean | undefined): JsonSchema {
  return returnsData === false ? { type: 'object', additionalProperties: false } : record
}

interface ShownRecords {
  readonly returnsData: boolean | undefined
  /** Whether each has its tag as `_etag`. */
  readonly appendEtags: boolean | undefined
}

export function recordsOrCount(record: JsonSchema, { returnsData, appendEtags }: ShownRecords): JsonSchema {
  if (returnsData === false) return objectSchema({ count: WHOLE_NUMBER })
  return listSchema(appendEtags ? { allOf: [record, objectSchema(ETAG_OF_ITEM)] } : record)
}

/** The tag of an item in a list or a bulk answer. */
export const ETAG_OF_ITEM = { _etag: { type: 'string', description: 'The version of the record.' } }

/** The schema with an example, if there is one. */
export function withExample(schema: JsonSchema, example: unknown): JsonSchema {
  return example === undefined ? schema : { ...schema, examples: [example] }
}

export const TEXT: JsonSchema = { type: 'string' }
export const BOOLEAN: JsonSchema = { type: 'boolean' }
export const WHOLE_NUMBER: JsonSchema = { type: 'integer', minimum: 0 }

const OF_ACTION: Readonly<Record<keyof RouteDescription, SettingRules[string]>> = {
  summary: setting.text,
  description: setting.text,
  deprecated: setting.boolean,
  query: setting.object,
  headers: setting.object,
  answerHeaders: setting.object,
  body: setting.object,
  bodyOptional: setting.boolean,
  bodyType: setting.text,
  data: setting.object,
  extra: setting.object,
  pages: setting.object,
  fileTypes: setting.list,
  events: setting.boolean,
  otherTypes: setting.list,
  partly: setting.object,
  partlyFileTypes: setting.list,
  accepted: setting.object,
  notModified: setting.boolean,
  errors: setting.refusals,
}

const OF_RESOURCE: Readonly<Record<keyof ResourceDescription, SettingRules[string]>> = {
  label: setting.text,
  description: setting.text,
  deprecated: setting.boolean,
  record: setting.object,
  actions: setting.object,
}

export function checkActionDescription(subject: string, describes: Partial<RouteDescription> = {}): void {
  checkOptions(subject, OF_ACTION, describes)
}

export function checkResourceDescription(subject: string, describes: ResourceDescription = {}): void {
  checkOptions(`${subject}: describes`, OF_RESOURCE, describes)
  for (const [action, said] of Object.entries(describes.actions ?? {})) {
    checkActionDescription(`${subject}: describes.actions.${action}`, said)
  }
}

/** A route of a resource, for a feature that adds to its description. */
export interface RouteToDescribe {
  readonly action: string
  readonly method: HttpMethod
  /** The path below the API's prefix. With `:id`, it is about one record. */
  readonly path: string
  /** Whether the resource declares the action itself. */
  readonly isCustom: boolean
  /** The route's own description. */
  readonly description: RouteDescription
}
