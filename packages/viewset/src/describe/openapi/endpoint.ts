import type { Endpoint } from '../../viewset/endpoints/endpoint.ts'
import { Bare, Reply } from '../../viewset/reply.ts'
import { apiEndpoint } from '../api-endpoint.ts'
import type { OpenApiDocument, OpenApiOptions } from './options.ts'

/** A document, but for the address of its server, as text behind its first brace. */
interface MadeDocument {
  readonly servers: OpenApiDocument['servers'] | undefined
  readonly rest: string
}

/** `GET {prefix}/openapi.json`: the document, which is made when it is first asked for. */
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
        // Another request may have more luck.
        document = undefined
        throw error
      })
      const { servers: own, rest } = await document
      // Where the API stands only a request knows: behind a proxy, or a prefix with a tenant in it.
      const servers = own ?? [{ url: origin + path.replace(/\/openapi\.json\/?$/, '') }]
      return new Reply(new Bare('application/json; charset=utf-8', `{"servers":${JSON.stringify(servers)},${rest}`))
    },
  })
}
