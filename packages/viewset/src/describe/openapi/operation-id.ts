import type { DescribedEndpoint } from '../api-description.ts'
import { nameFrom } from './components.ts'

/**
 * Names of operations, which generators make methods of: the resource and the action, as `citiesList` and
 * `citiesPartialUpdate`. A second way to the same action says its method.
 */
export class OperationIds {
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

/** `bulkUpdate` -> `bulkPartialUpdate`, as clients call it. */
function partialOf(action: string): string {
  const name = nameFrom(action)
  return /Update$/.test(name) ? name.replace(/Update$/, 'PartialUpdate') : `partial${name}`
}

function idOf(resource: string, action: string): string {
  return resource.charAt(0).toLowerCase() + resource.slice(1) + nameFrom(action)
}
