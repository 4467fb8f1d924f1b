import { nearest } from '../core/suggestion.ts'

/** An address, and the methods that it answers. */
interface Offered {
  readonly path: string
  readonly allowed: readonly string[]
}

/** Parts that are compared: an address may have very many, and an API's have few. */
const MOST_PARTS = 20

/**
 * The address that was probably meant, among those that answer the method: as many parts, each fixed one as asked or
 * nearly so. `asked` and the result stand behind the prefix; `undefined` if none is near.
 */
export function nearestAddress(asked: string, method: string, paths: readonly Offered[]): string | undefined {
  const parts = asked.split('/', MOST_PARTS).filter(part => part !== '')
  const candidates = paths
    // The files of the reference page are for it alone.
    .filter(({ path, allowed }) => allowed.includes(method) && !path.includes('.'))
    .flatMap(({ path }) => meant(parts, path) ?? [])
    .filter(candidate => candidate !== addressOf(parts))
  return candidates.length < 2 ? candidates[0] : nearest(addressOf(parts), candidates)
}

/** A route as an address with the parameters that were asked for; `undefined` where a fixed part is another one. */
function meant(parts: readonly string[], route: string): string | undefined {
  const fixed = route.split('/').filter(part => part !== '')
  if (fixed.length !== parts.length) return undefined
  const filled = fixed.map((part, i) => {
    const asked = parts[i] as string
    if (part.includes(':')) return asked
    return asked === part ? part : nearest(asked, [part])
  })
  return filled.every(part => part !== undefined) ? addressOf(filled) : undefined
}

function addressOf(parts: readonly string[]): string {
  return `/${parts.map(part => `${part}/`).join('')}`
}
