import { ConfigError } from '../core/errors.ts'
import type { Endpoint } from '../viewset/endpoint.ts'
import type { Authenticate } from '../viewset/handle.ts'
import type { ApiDescription, RegisteredResource } from './api-description.ts'
import { apiRoot } from './api-root.ts'
import { checkDescribing } from './check-describing.ts'
import { type DocsOptions, referencePage } from './docs/reference-page.ts'
import { openApiEndpoint } from './openapi/endpoint.ts'
import type { OpenApiOptions } from './openapi/options.ts'
import { type SchemaOptions, schemaEndpoint } from './schema/endpoint.ts'

/** What an API shows of its own description, beside the list of its resources. */
export interface DescribingOptions {
  /** Whether `GET {prefix}/openapi.json` answers the OpenAPI 3.1 document of the API, and what it says beside. Default false. */
  readonly openapi?: boolean | OpenApiOptions
  /** Whether `GET {prefix}/schema/` answers what the current user may do, and how. Default false. */
  readonly schema?: boolean | SchemaOptions
  /**
   * Whether `GET {prefix}/docs/` answers a page that people read the document on and try requests out. Needs `openapi`,
   * and the package `swagger-ui-dist`. Default false.
   */
  readonly docs?: boolean | DocsOptions
}

/** An API, with the endpoints by which it describes itself (CONTRACT, "Describing itself"). */
export function describedApi(
  resources: readonly RegisteredResource[],
  { openapi, schema, docs, authenticate }: DescribingOptions & { readonly authenticate?: Authenticate },
): ApiDescription {
  checkDescribing({ openapi, schema, docs })
  const endpoints: Endpoint[] = [apiRoot(resources)]
  const api: ApiDescription = { resources, endpoints, authenticate }
  if (schema) endpoints.push(schemaEndpoint(api, schema === true ? {} : schema))
  if (openapi) endpoints.push(openApiEndpoint(api, openapi === true ? {} : openapi))
  if (docs) endpoints.push(...referencePage(api, docsOptions(docs, openapi)))
  refuseTaken(api)
  return api
}

/** @throws ConfigError for a resource at an address where the API describes itself. */
function refuseTaken({ resources, endpoints }: ApiDescription): void {
  const taken = new Set(endpoints.map(({ path }) => path))
  for (const { name, endpoints: own } of resources) {
    const path = own.find(endpoint => taken.has(endpoint.path))?.path
    if (path === undefined) continue
    throw new ConfigError(`resources.${name}`, 'name', `${path} is where the API describes itself; take another name`)
  }
}

function docsOptions(docs: true | DocsOptions, openapi: DescribingOptions['openapi']): DocsOptions {
  if (!openapi)
    throw new ConfigError('resources', 'docs', 'shows the document of the option openapi; switch that on too')
  const title = openapi === true ? undefined : openapi.info?.title
  return { ...(title !== undefined && { title }), ...(docs !== true && docs) }
}
