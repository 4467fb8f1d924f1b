import type { Endpoint } from '../viewset/endpoint.ts'
import type { Authenticate } from '../viewset/handle.ts'
import type { ApiDescription, RegisteredResource } from './api-description.ts'
import { apiRoot } from './api-root.ts'
import { openApiEndpoint } from './openapi/endpoint.ts'
import type { OpenApiOptions } from './openapi/options.ts'

/** What an API shows of its own description, beside the list of its resources. */
export interface DescribingOptions {
  /** Whether `GET {prefix}/openapi.json` answers the OpenAPI 3.1 document of the API, and what it says beside. Default false. */
  readonly openapi?: boolean | OpenApiOptions
}

/** The endpoints by which an API describes itself (CONTRACT, "Describing itself"). */
export function describingEndpoints(
  resources: readonly RegisteredResource[],
  { openapi, authenticate }: DescribingOptions & { readonly authenticate?: Authenticate },
): readonly Endpoint[] {
  const endpoints: Endpoint[] = [apiRoot(resources)]
  const api: ApiDescription = { resources, endpoints, authenticate }
  if (openapi) endpoints.push(openApiEndpoint(api, openapi === true ? {} : openapi))
  return endpoints
}
