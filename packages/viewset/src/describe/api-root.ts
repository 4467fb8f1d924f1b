import { ApiError } from '../core/errors.ts'
import type { Endpoint, EndpointContext } from '../viewset/endpoints.ts'
import { Reply } from '../viewset/reply.ts'
import type { AnyResourceClass } from '../viewset/resource-class.ts'

/** A resource as it is registered. */
export interface RegisteredResource {
  readonly name: string
  readonly resource: AnyResourceClass
  readonly endpoints: readonly Endpoint[]
}

/** An entry of the list at the root of an API. */
interface Address {
  readonly name: string
  readonly url: string
}

/** `GET {prefix}/`: the resources that the user may list, and their addresses (CONTRACT, "Describing itself"). */
export function apiRoot(resources: readonly RegisteredResource[]): Endpoint {
  const lists = resources.flatMap(({ name, resource, endpoints }) => {
    const list = endpoints.find(({ method, path }) => method === 'GET' && path === `/${name}/`)
    // What stands below a record has no address without that record.
    return list && !name.includes(':') ? [{ name, resource, action: list.action }] : []
  })
  return {
    action: 'root',
    method: 'GET',
    path: '/',
    readsBody: false,
    answer: async context => {
      const { origin, path } = context.request
      const base = origin + (path.endsWith('/') ? path : `${path}/`)
      const data: Address[] = []
      for (const { name, resource, action } of lists) {
        if (await isAllowed(resource, action, context)) data.push({ name, url: `${base}${name}/` })
      }
      return new Reply(data, { status: 200 })
    },
  }
}

async function isAllowed(resource: AnyResourceClass, action: string, context: EndpointContext): Promise<boolean> {
  try {
    await new resource({ ...context, action }).checkPermissions()
    return true
  } catch (error) {
    // Only a refusal is a no; a permission that is broken has said nothing.
    if (error instanceof ApiError && error.status < 500) return false
    throw error
  }
}
