import { isDeepStrictEqual } from 'node:util'
import { STATUS_CODES } from '../../core/errors.ts'
import type { EnvelopeOptions } from '../../core/project-envelope.ts'
import type { JsonSchema } from '../../kinds/json-schema.ts'
import {
  type PagesDescription,
  type RouteDescription,
  TEXT,
  withExample,
} from '../../viewset/description/route-description.ts'
import { placeOf } from '../../viewset/handle.ts'
import { isSafe } from '../../viewset/permissions.ts'
import type { DescribedEndpoint } from '../api-description.ts'
import type { Components } from './components.ts'
import { envelopeExample } from './examples.ts'
import { envelopeSchema, type Refusals } from './refusals.ts'

interface ObjectSchema extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
}

const REQUEST_ID = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } }

const FILE_HEADERS = {
  'Content-Disposition': { required: true, description: 'The name of the file (RFC 6266).', schema: TEXT },
  'X-Export-Warnings': { description: 'Values that the file shows in another form.', schema: TEXT },
}

/** HTML, "Server-sent events". */
const EVENTS = { 'text/event-stream': { schema: TEXT } }

const PARTLY_FILE_HEADERS = {
  'Content-Disposition': { description: 'The name of a file (RFC 6266).', schema: TEXT },
  'X-Import-Result': {
    description: 'With a file: the message, the counts, the `job` and the first warnings of the import, as JSON.',
    schema: TEXT,
  },
}

export interface ResponseContext {
  readonly components: Components
  readonly refusals: Refusals
  readonly hasUsers: boolean
  readonly own: EnvelopeOptions
}

export function responsesOf(
  { endpoint, description, registered }: DescribedEndpoint,
  name: string,
  { components, refusals, hasUsers, own }: ResponseContext,
): Readonly<Record<string, JsonSchema>> {
  const {
    data = { type: 'null' },
    extra,
    fileTypes,
    events,
    otherTypes = [],
    pages,
    partly = {},
    partlyFileTypes,
    accepted,
    notModified,
    errors = {},
  } = description
  const { status, method, path, access } = endpoint
  const headers = { ...REQUEST_ID, ...headersOf(description.answerHeaders) }
  const isOnlyEvents = events && description.data === undefined
  // The project gets whole schemas, since it may change their names.
  const ownContent = (data: JsonSchema, isPage = false) => {
    const schema = own.envelope?.schema?.(data, { ...placeOf(endpoint), isPage }) ?? {}
    return { 'application/json': { schema: components.add(schema, `${name}Response`) } }
  }
  const content = (success: boolean) => {
    if (own.envelope) return ownContent(withListItem(data), pages !== undefined)
    const shown = withListItem(components.add(data, name))
    const shownPages = pages && {
      ...pages,
      ...(pages.whole && { whole: withListItem(components.add(pages.whole, name)) }),
    }
    const envelope = shownPages ? listEnvelope(shown, shownPages, extra) : envelopeSchema(shown, success, extra)
    const title = envelopeTitle(shown, { success, isPage: pages !== undefined })
    const example = success ? envelopeExample(envelope, components.at) : undefined
    const named = withExample(withTitle(envelope, title), example)
    return { 'application/json': { schema: components.add(named, `${name}Response`) } }
  }
  const responses: Record<string, JsonSchema> = {}
  if (status === 204) responses[204] = { description: reasonOf(204), headers }
  else if (fileTypes) responses[status] = fileResponse(status, fileTypes)
  else
    responses[status] = {
      description: reasonOf(status),
      headers,
      content: { ...(!isOnlyEvents && content(true)), ...(events && EVENTS), ...textContent(otherTypes) },
    }
  for (const [other, meaning] of Object.entries(partly)) {
    responses[other] = {
      description: meaning,
      headers: { ...REQUEST_ID, ...(partlyFileTypes && PARTLY_FILE_HEADERS) },
      content: { ...content(false), ...fileContent(partlyFileTypes ?? []) },
    }
  }
  if (notModified) responses[304] = { description: 'The client has this version already.', headers }
  if (events) responses[204] = { description: 'The client has the last event already.', headers: REQUEST_ID }
  if (accepted) {
    responses[202] = acceptedResponse(
      own.envelope ? ownContent(accepted) : jobContent(components.add(accepted, `${name}Job`), name, components),
    )
  }
  const writes = !isSafe(method)
  const mayRefuse = !access.isOpen || (writes && registered?.resource.definition.config.checkScope === 'always')
  const statuses = [
    400,
    ...(hasUsers || !access.isOpen || accepted ? [401] : []),
    ...(mayRefuse ? [403] : []),
    ...(path.includes(':') || pages || registered?.resource.definition.config.singleton ? [404] : []),
    ...(writes ? [408] : []),
    // An export only reads, although it uses POST, so it has no conflicts.
    ...(writes && !fileTypes ? [409] : []),
    ...(writes ? [413] : []),
    415,
    ...(accepted ? [429] : []),
    500,
    503,
  ]
  for (const refused of new Set([...statuses, ...refusals.statuses, ...Object.keys(errors).map(Number)])) {
    responses[refused] = refusals.response(refused, errors[refused])
  }
  return responses
}

/**
 * The name of the component in a schema: `City` of a reference to it, of a list of them, and of one with its position.
 * `undefined` for a schema without one.
 */
function componentIn({ $ref, allOf, items }: JsonSchema): string | undefined {
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  const inner = Array.isArray(allOf) ? allOf[0] : items
  return typeof inner === 'object' && inner !== null ? componentIn(inner as JsonSchema) : undefined
}

interface EnvelopeKind {
  readonly success?: boolean
  readonly isPage?: boolean
}

/** `CityResponse`, `CityPage`, `CityListResponse`; `undefined` if the data has no name either. */
function envelopeTitle(data: JsonSchema, { success = true, isPage = false }: EnvelopeKind = {}): string | undefined {
  const name = componentIn(data)
  if (name === undefined) return undefined
  if (isPage) return `${name}Page`
  return `${success ? '' : 'Partial'}${name}${data.type === 'array' ? 'List' : ''}Response`
}

/** A record with its position in the list is called `CityListItem`. */
function withListItem(list: JsonSchema): JsonSchema {
  const items = (list.items ?? {}) as JsonSchema
  const name = items.allOf && componentIn(items)
  return name ? { ...list, items: withTitle(items, `${name}ListItem`) } : list
}

function withTitle(schema: JsonSchema, title: string | undefined): JsonSchema {
  return title === undefined ? schema : { title, ...schema }
}

/** Headers by name, as OpenAPI describes them. */
function headersOf(schemas: RouteDescription['answerHeaders'] = {}): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { description, ...schema }]) => [
      name,
      { ...(description !== undefined && { description }), schema },
    ]),
  )
}

/**
 * The envelope of a page with links, or of the whole list without them. One schema for both, which generated clients
 * handle better than alternatives.
 */
function listEnvelope(
  data: JsonSchema,
  { links, whole }: PagesDescription,
  extra: RouteDescription['extra'],
): JsonSchema {
  const { properties, required, ...page } = envelopeSchema(data, true, extra) as ObjectSchema
  const { success, timestamp, message, data: rows, ...behind } = properties
  const before = { success, timestamp, message }
  const { properties: linked, required: linkNames } = links as ObjectSchema
  if (!whole) {
    return {
      ...page,
      properties: { ...before, ...linked, data: rows, ...behind },
      required: [...required, ...linkNames],
    }
  }
  const both = isDeepStrictEqual(data, whole) ? data : { anyOf: [data, whole] }
  return {
    ...page,
    properties: { ...before, ...linked, data: both, ...behind },
    required,
    // A page's keys occur together.
    dependentRequired: Object.fromEntries(
      Object.keys(linked).map(name => [name, linkNames.filter(other => other !== name)]),
    ),
  }
}

function jobContent(job: JsonSchema, name: string, components: Components): JsonSchema {
  const plain = envelopeSchema(job)
  const envelope = withExample(withTitle(plain, envelopeTitle(job)), envelopeExample(plain, components.at))
  return { 'application/json': { schema: components.add(envelope, `${name}JobResponse`) } }
}

/** 202 with the location of the job (RFC 9110, 15.3.3). */
function acceptedResponse(content: JsonSchema): JsonSchema {
  return {
    description: 'A job does it in the background.',
    headers: { ...REQUEST_ID, Location: { required: true, description: 'The URL of the job.', schema: TEXT } },
    content,
  }
}

function fileResponse(status: number, types: readonly string[]): JsonSchema {
  return {
    description: reasonOf(status),
    headers: { ...REQUEST_ID, ...FILE_HEADERS },
    content: fileContent(types),
  }
}

function textContent(types: readonly string[]): JsonSchema {
  return Object.fromEntries(types.map(type => [type, { schema: TEXT }]))
}

function fileContent(types: readonly string[]): JsonSchema {
  const bytes = { schema: { type: 'string', format: 'binary' } }
  return Object.fromEntries(types.map(type => [type.replace(/;.*$/, ''), bytes]))
}

function reasonOf(status: number): string {
  return STATUS_CODES[status] ?? 'Done'
}
