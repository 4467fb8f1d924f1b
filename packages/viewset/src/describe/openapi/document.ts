import type { JsonSchema } from '../../kinds/json-schema.ts'
import { type ApiDescription, type DescribedEndpoint, describedEndpoints, labelOfResource } from '../api-description.ts'
import { Components, nameFrom } from './components.ts'
import { ERROR, FIELD_ERROR } from './envelope.ts'
import { OperationIds } from './operation-id.ts'
import type { OpenApiDocument, OpenApiOptions } from './options.ts'
import { parametersOf, pathTemplate } from './parameters.ts'
import { sharedRefusals } from './refusals.ts'
import { type ResponseContext, responsesOf } from './responses.ts'
import { securityOf, securitySchemesOf } from './security.ts'

/** The OpenAPI 3.1 document of an API, all but the address of its server. */
export async function openApiDocument(api: ApiDescription, options: OpenApiOptions): Promise<OpenApiDocument> {
  const schemes = securitySchemesOf(api.authenticate)
  const hasUsers = api.authenticate !== undefined
  const components = new Components()
  for (const schema of [ERROR, FIELD_ERROR]) components.add(schema, '')
  // A resource's own records have the short name, whatever shows them in part before.
  for (const { name, resource } of api.resources) {
    const { serializer } = resource.definition.config
    const inputs = [{}, { existing: true }, { partial: true }].map(options => serializer.inputSchema(options))
    for (const schema of [serializer.outputSchema(), ...inputs]) components.reserve(schema, nameFrom(name))
  }
  const ids = new OperationIds()
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const described of describedEndpoints(api)) {
    const { endpoint } = described
    const operation = operationOf(described, ids.next(described), { errors: options.errors, components, hasUsers })
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
      responses: sharedRefusals(),
      headers: { RequestId: { description: 'Names the request in the log.', schema: { type: 'string' } } },
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
  const { components } = context
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
        content: { [bodyType]: { schema: components.add(body, `${name}Body`) } },
      },
    }),
    responses: responsesOf(described, name, context),
  }
}

const API_TAG = 'api'

function tagsOf({ resources }: ApiDescription): readonly JsonSchema[] {
  const ofResources = resources.map(registered => ({
    name: registered.name,
    description: registered.resource.definition.config.describes?.description ?? `${labelOfResource(registered)}.`,
  }))
  // A resource may have that name, too.
  if (resources.some(({ name }) => name === API_TAG)) return ofResources
  return [...ofResources, { name: API_TAG, description: 'What the API says of itself.' }]
}
