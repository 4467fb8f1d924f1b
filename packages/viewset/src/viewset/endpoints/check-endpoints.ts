import { ConfigError } from '../../core/errors.ts'
import { suggestion } from '../../core/suggestion.ts'
import type { Endpoint } from './endpoint.ts'

export function checkPaths(name: string, endpoints: readonly Endpoint[]): void {
  const seen = new Set<string>()
  for (const { method, path, action } of endpoints) {
    const route = `${method} ${path}`
    if (seen.has(route)) throw new ConfigError(`resources.${name}`, `actions.${action}`, `${route} exists already`)
    seen.add(route)
    const parts = path.split('/').filter(part => part.startsWith(':'))
    const twice = parts.find((part, index) => parts.indexOf(part) < index)
    if (twice === undefined) continue
    const remedy = twice === ':id' ? "; it is the record's, so give the other part another name" : ''
    throw new ConfigError(`resources.${name}`, 'name', `${route} has two parts that are called "${twice}"${remedy}`)
  }
}

export function checkDescribed(name: string, described: readonly string[], endpoints: readonly Endpoint[]): void {
  const actions = [...new Set(endpoints.map(({ action }) => action))]
  const stranger = described.find(action => !actions.includes(action))
  if (stranger === undefined) return
  const problem = `"${stranger}" is none of the resource's actions${suggestion(stranger, actions)}`
  throw new ConfigError(`resources.${name}`, 'describes.actions', problem)
}
