import type { Endpoint } from '../../viewset/endpoint.ts'
import { Bare, Reply } from '../../viewset/reply.ts'
import type { ApiDescription } from '../api-description.ts'
import { apiEndpoint } from '../api-endpoint.ts'
import { openApiDocument } from './document.ts'
import type { OpenApiOptions } from './options.ts'

/** `GET {prefix}/openapi.json`: the document, which is made when it is first asked for. */
export function openApiEndpoint(api: ApiDescription, options: OpenApiOptions): Endpoint {
  let document: Promise<string> | undefined
  return apiEndpoint({
    action: 'openapi',
    path: '/openapi.json/',
    permissionClasses: options.permissionClasses,
    answer: async ({ request: { origin, path } }) => {
      document ??= openApiDocument(api, options).then(made => JSON.stringify(made).slice(1))
      // Where the API stands only a request knows: behind a proxy, or a prefix with a tenant in it.
      const servers = [{ url: origin + path.replace(/\/openapi\.json\/?$/, '') }]
      return new Reply(
        new Bare('application/json; charset=utf-8', `{"servers":${JSON.stringify(servers)},${await document}`),
      )
    },
  })
}
