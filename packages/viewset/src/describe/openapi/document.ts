import type { JsonSchema } from '../../kinds/json-schema.ts'
import { Bare, Reply } from '../../viewset/answer/reply.ts'
import { withExample } from '../../viewset/description/route-description.ts'
import type { Endpoint } from '../../viewset/endpoints/endpoint.ts'
import { type Authenticate, placeOf } from '../../viewset/handle.ts'
import {
  type ApiDescription,
  apiEndpoint,
  type DescribedEndpoint,
  describedEndpoints,
  labelOfResource,
} from '../api-description.ts'
import { Components, nameFrom } from './components.ts'
import { exampleOf, examplesOfRecords } from './examples.ts'
import type { OpenApiDocument, OpenApiOptions } from './options.ts'
import { parametersOf, pathTemplate } from './parameters.ts'
import { ERROR, fieldError, Refusals } from './refusals.ts'
import { type ResponseContext, responsesOf } from './responses.ts'

export async function openApiDocument(api: ApiDescription, options: OpenApiOptions): Promise<OpenApiDocument> {
  const schemes = securitySchemesOf(api.authenticate)
  const hasUsers = api.authenticate !== undefined
  const components = new Components(examplesOfRecords(api.resources))
  const { errorHandler } = api.own
  if (!errorHandler) for (const schema of [ERROR, fieldError(api.errorCodes)]) components.add(schema, '')
  const ownSchema = errorHandler && components.add(errorHandler.schema ?? {}, 'Error')
  const refusals = new Refusals(options.errors, { errorCodes: api.errorCodes, ownSchema })
  // A resource's complete record has the short name, even if a partial one comes first. A project may show another form.
  for (const { name, resource } of api.own.envelope ? [] : api.resources) {
    const { serializer, describes } = resource.definition.config
    const inputs = [{}, { existing: true }, { partial: true }].map(options => serializer.inputSchema(options))
    const record = describes?.record ?? serializer.outputSchema()
    for (const schema of [record, ...inputs]) components.reserve(schema, nameFrom(name))
  }
  const ids = new OperationIds()
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const described of describedEndpoints(api)) {
    const { endpoint } = described
    const operation = operationOf(described, ids.next(described), { components, refusals, hasUsers, own: api.own })
    const security = securityOf(Object.keys(schemes), await endpoint.access.admitsAnybody())
    const template = pathTemplate(endpoint)
    paths[template] = { ...paths[template], [endpoint.method.toLowerCase()]: { ...operation, security } }
  }
  const { title = 'API', version = '1.0.0', ...info } = options.info ?? {}
  const document: OpenApiDocument = {
    openapi: '3.1.0',
    info: { title, version, ...info },
    tags: tagsOf(api),
    paths,
    components: {
      schemas: components.schemas,
      responses: refusals.components,
      headers: { RequestId: { description: 'The id of the request in the log.', schema: { type: 'string' } } },
      securitySchemes: schemes,
    },
  }
  return options.change?.(document) ?? document
}

function operationOf(described: DescribedEndpoint, operationId: string, context: ResponseContext): JsonSchema {
  const { description, registered } = described
  const {
    summary,
    description: text,
    deprecated,
    body,
    bodyOptional = false,
    bodyType = 'application/json',
  } = description
  const parameters = parametersOf(described)
  const name = nameFrom(operationId)
  return {
    operationId,
    tags: [registered?.name ?? API_TAG],
    summary,
    ...(text !== undefined && { description: text }),
    ...(deprecated && { deprecated }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: !bodyOptional,
        content: { [bodyType]: { schema: requestSchema(described, name, context) } },
      },
    }),
    responses: responsesOf(described, name, context),
  }
}

function requestSchema(
  { endpoint, description: { body = {} } }: DescribedEndpoint,
  name: string,
  { components, own: { requestBody } }: ResponseContext,
): JsonSchema {
  if (!requestBody) return bodySchema(components.add(body, `${name}Body`), components)
  return components.add(requestBody.schema?.(body, placeOf(endpoint)) ?? {}, `${name}Body`)
}

/** A list of items has an example of its own. */
function bodySchema(schema: JsonSchema, { at }: Components): JsonSchema {
  return schema.type === 'array' && !schema.examples ? withExample(schema, exampleOf(schema, at)) : schema
}

const API_TAG = 'api'

function tagsOf({ resources }: ApiDescription): readonly JsonSchema[] {
  const ofResources = resources.map(registered => ({
    name: registered.name,
    description: registered.resource.definition.config.describes?.description ?? `${labelOfResource(registered)}.`,
  }))
  // A resource may have that name too.
  if (resources.some(({ name }) => name === API_TAG)) return ofResources
  return [...ofResources, { name: API_TAG, description: 'The API itself.' }]
}

/** A document without the server's URL, as text after its first brace. */
interface MadeDocument {
  readonly servers: OpenApiDocument['servers'] | undefined
  readonly rest: string
}

/** `GET {prefix}/openapi.json`: the document, made at the first request. */
export function openApiEndpoint(
  makeDocument: () => Promise<OpenApiDocument>,
  { permissionClasses }: OpenApiOptions,
): Endpoint {
  let document: Promise<MadeDocument> | undefined
  const make = async (): Promise<MadeDocument> => {
    const { servers, ...rest } = await makeDocument()
    return { servers, rest: JSON.stringify(rest).slice(1) }
  }
  return apiEndpoint({
    action: 'openapi',
    path: '/openapi.json/',
    permissionClasses,
    answer: async ({ request: { origin, path } }) => {
      document ??= make().catch(error => {
        // The next request tries again.
        document = undefined
        throw error
      })
      const { servers: own, rest } = await document
      // Only a request shows the API's URL: behind a proxy, or a prefix with a tenant.
      const servers = own ?? [{ url: origin + path.replace(/\/openapi\.json\/?$/, '') }]
      return new Reply(new Bare('application/json; charset=utf-8', `{"servers":${JSON.stringify(servers)},${rest}`))
    },
  })
}

/**
 * Operation ids, from which generators make method names: the resource and the action, as in `citiesList` and
 * `citiesPartialUpdate`. A second route to an action adds its method.
 */
class OperationIds {
  readonly #taken = new Set<string>()

  next({ endpoint: { action, method }, registered }: DescribedEndpoint): string {
    const parts = (registered?.name ?? 'api').split('/').filter(part => !part.startsWith(':'))
    const resource = nameFrom(parts.join(' '))
    const isPartial = method === 'PATCH' && this.#taken.has(idOf(resource, action))
    const wanted = idOf(resource, isPartial ? partialOf(action) : action)
    const byMethod = `${wanted}By${nameFrom(method.toLowerCase())}`
    const free = [wanted, byMethod].find(id => !this.#taken.has(id))
    let id = free ?? byMethod
    for (let count = 2; this.#taken.has(id); count += 1) id = byMethod + count
    this.#taken.add(id)
    return id
  }
}

/** `bulkUpdate` -> `bulkPartialUpdate`, the client's name. */
function partialOf(action: string): string {
  const name = nameFrom(action)
  return /Update$/.test(name) ? name.replace(/Update$/, 'PartialUpdate') : `partial${name}`
}

function idOf(resource: string, action: string): string {
  return resource.charAt(0).toLowerCase() + resource.slice(1) + nameFrom(action)
}

/** The security schemes of `authenticate`, or else of its 401 challenge. */
export function securitySchemesOf(authenticate: Authenticate | undefined): Readonly<Record<string, JsonSchema>> {
  if (!authenticate) return {}
  const { securitySchemes, challenge = 'Bearer' } = authenticate
  if (securitySchemes) return securitySchemes
  const scheme = challenge.split(' ', 1)[0]?.toLowerCase() ?? 'bearer'
  return { [scheme]: { type: 'http', scheme } }
}

/** Any one of the schemes is enough; an empty entry allows requests without credentials. */
function securityOf(schemes: readonly string[], admitsAnybody: boolean): readonly JsonSchema[] {
  return [...(admitsAnybody ? [{}] : []), ...schemes.map(name => ({ [name]: [] }))]
}
