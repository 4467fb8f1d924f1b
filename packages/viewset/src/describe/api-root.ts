import { listSchema, objectSchema, TEXT } from '../viewset/description/route-description.ts'
import type { Endpoint } from '../viewset/endpoints/endpoint.ts'
import { Reply } from '../viewset/reply.ts'
import type { RegisteredResource } from './api-description.ts'
import { apiEndpoint } from './api-endpoint.ts'

/** An entry of the list at the root of an API. */
interface Address {
  readonly name: string
  readonly url: string
}

/** `GET {prefix}/`: the resources that the user may list, and their addresses (CONTRACT, "Describing itself"). */
export function apiRoot(resources: readonly RegisteredResource[]): Endpoint {
  const lists = resources.flatMap(({ name, endpoints }) => {
    const list = endpoints.find(({ method, path }) => method === 'GET' && path === `/${name}/`)
    // What stands below a record has no address without that record.
    return list && !name.includes(':') ? [{ name, list }] : []
  })
  return apiEndpoint({
    action: 'root',
    path: '/',
    describe: () => ({
      summary: 'The resources that the user may list, and their addresses.',
      data: listSchema(objectSchema({ name: TEXT, url: { type: 'string', format: 'uri' } })),
    }),
    answer: async context => {
      const base = baseOf(context.request)
      const data: Address[] = []
      for (const { name, list } of lists) {
        if (await list.isAllowed(context)) data.push({ name, url: `${base}${encodeURI(name)}/` })
      }
      return new Reply(data)
    },
  })
}

function baseOf({ origin, path }: { readonly origin: string; readonly path: string }): string {
  return origin + (path.endsWith('/') ? path : `${path}/`)
}
