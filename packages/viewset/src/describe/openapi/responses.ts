import { isDeepStrictEqual } from 'node:util'
import { STATUS_CODES } from '../../core/errors.ts'
import type { JsonSchema } from '../../kinds/json-schema.ts'
import { type PagesDescription, type RouteDescription, TEXT } from '../../viewset/description/route-description.ts'
import { isSafe } from '../../viewset/permissions.ts'
import type { DescribedEndpoint } from '../api-description.ts'
import type { Components } from './components.ts'
import { envelopeSchema, refusal } from './refusals.ts'

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
  'X-Import-Result': { description: 'With a file: the message and the counts of the import, as JSON.', schema: TEXT },
}

export interface ResponseContext {
  readonly components: Components
  readonly hasUsers: boolean
  readonly errors: Readonly<Record<number, string>> | undefined
}

export function responsesOf(
  { endpoint, description, registered }: DescribedEndpoint,
  name: string,
  { components, hasUsers, errors: ofAll }: ResponseContext,
): Readonly<Record<string, JsonSchema>> {
  const {
    data = { type: 'null' },
    extra,
    fileTypes,
    events,
    pages,
    partly = {},
    partlyFileTypes,
    accepted,
  } = description
  const errors: Readonly<Record<string, string>> = { ...ofAll, ...description.errors }
  const { status, method, path, access } = endpoint
  const headers = { ...REQUEST_ID, ...headersOf(description.answerHeaders) }
  const isOnlyEvents = events && description.data === undefined
  const content = (success: boolean) => {
    const envelope = pages ? listEnvelope(data, pages, extra) : envelopeSchema(data, success, extra)
    return { 'application/json': { schema: components.add(envelope, name) } }
  }
  const responses: Record<string, JsonSchema> = {}
  if (status === 204) responses[204] = { description: reasonOf(204), headers }
  else if (fileTypes) responses[status] = fileResponse(status, fileTypes)
  else
    responses[status] = {
      description: reasonOf(status),
      headers,
      content: { ...(!isOnlyEvents && content(true)), ...(events && EVENTS) },
    }
  for (const [other, meaning] of Object.entries(partly)) {
    responses[other] = {
      description: meaning,
      headers: { ...REQUEST_ID, ...(partlyFileTypes && PARTLY_FILE_HEADERS) },
      content: { ...content(false), ...fileContent(partlyFileTypes ?? []) },
    }
  }
  if (events) responses[204] = { description: 'The client has the last event already.', headers: REQUEST_ID }
  if (accepted) responses[202] = acceptedResponse(components.add(envelopeSchema(accepted), `${name}Job`))
  const writes = !isSafe(method)
  const mayRefuse = !access.isOpen || (writes && registered?.resource.definition.config.checkScope === 'always')
  const statuses = [
    400,
    ...(hasUsers || !access.isOpen || accepted ? [401] : []),
    ...(mayRefuse ? [403] : []),
    ...(path.includes(':') || pages ? [404] : []),
    ...(writes ? [408] : []),
    // An export only reads, although it uses POST, so it has no conflicts.
    ...(writes && !fileTypes ? [409] : []),
    ...(writes ? [413] : []),
    415,
    ...(accepted ? [429] : []),
    500,
    503,
  ]
  for (const refused of new Set([...statuses, ...Object.keys(errors).map(Number)])) {
    responses[refused] = refusal(refused, errors[refused])
  }
  return responses
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

/** 202 with the location of the job (RFC 9110, 15.3.3). */
function acceptedResponse(schema: JsonSchema): JsonSchema {
  return {
    description: 'A job does it in the background.',
    headers: { ...REQUEST_ID, Location: { required: true, description: 'The URL of the job.', schema: TEXT } },
    content: { 'application/json': { schema } },
  }
}

function fileResponse(status: number, types: readonly string[]): JsonSchema {
  return {
    description: reasonOf(status),
    headers: { ...REQUEST_ID, ...FILE_HEADERS },
    content: fileContent(types),
  }
}

function fileContent(types: readonly string[]): JsonSchema {
  const bytes = { schema: { type: 'string', format: 'binary' } }
  return Object.fromEntries(types.map(type => [type.replace(/;.*$/, ''), bytes]))
}

function reasonOf(status: number): string {
  return STATUS_CODES[status] ?? 'Done'
}
