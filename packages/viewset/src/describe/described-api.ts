import { ConfigError } from '../core/errors.ts'
import type { Endpoint } from '../viewset/endpoints/endpoint.ts'
import type { Authenticate } from '../viewset/handle.ts'
import type { ApiDescription, RegisteredResource } from './api-description.ts'
import { apiRoot } from './api-root.ts'
import { checkDescribing } from './check-describing.ts'
import { type DocsOptions, referencePage } from './docs/reference-page.ts'
import { openApiDocument } from './openapi/document.ts'
import { openApiEndpoint } from './openapi/endpoint.ts'
import type { OpenApiDocument, OpenApiOptions } from './openapi/options.ts'
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

/** A description that can be written down. */
export interface DescribedApi extends ApiDescription {
  /** Makes the OpenAPI document, but for the address of its server. */
  document(): Promise<OpenApiDocument>
}

/** An API, with the endpoints by which it describes itself (CONTRACT, "Describing itself"). */
export function describedApi(
  resources: readonly RegisteredResource[],
  { openapi, schema, docs, authenticate }: DescribingOptions & { readonly authenticate?: Authenticate },
): DescribedApi {
  checkDescribing({ openapi, schema, docs })
  const endpoints: Endpoint[] = [apiRoot(resources)]
  const documentOptions = given(openapi)
  const document = () => openApiDocument(api, documentOptions)
  const api: DescribedApi = { resources, endpoints, authenticate, document }
  if (schema) endpoints.push(schemaEndpoint(api, given(schema)))
  if (openapi) endpoints.push(openApiEndpoint(document, documentOptions))
  if (docs && !openapi) {
    throw new ConfigError('api', 'docs', 'shows the document of the option openapi; switch that on too')
  }
  if (docs) endpoints.push(...referencePage(api, { title: documentOptions.info?.title, ...given(docs) }))
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

/** What an option says that may be just switched on, or off. */
function given<T extends object>(option: boolean | T | undefined): Partial<T> {
  return typeof option === 'object' ? option : {}
}
