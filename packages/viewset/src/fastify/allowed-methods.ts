interface Pattern {
  readonly segments: readonly string[]
  readonly allowed: readonly string[]
}

/** What each address allows, for requests by a method that Fastify's router has no routes for, such as PROPFIND. */
export class AllowedMethods {
  readonly #patterns: Pattern[] = []

  /** `pattern` is a route's: `/api/cities/:id/`. */
  add(pattern: string, allowed: readonly string[]): void {
    this.#patterns.push({ segments: segmentsOf(pattern), allowed })
  }

  /** `undefined` where there is nothing at all. */
  at(path: string): readonly string[] | undefined {
    const asked = segmentsOf(path)
    // As in the router, `/cities/bulk-create/` is no city of that name.
    const [match] = this.#patterns
      .filter(({ segments }) => matches(segments, asked))
      .toSorted((a, b) => a.segments.filter(isParameter).length - b.segments.filter(isParameter).length)
    return match?.allowed
  }
}

function segmentsOf(path: string): readonly string[] {
  return path.replace(/\/$/, '').split('/')
}

function matches(pattern: readonly string[], asked: readonly string[]): boolean {
  return pattern.length === asked.length && pattern.every((part, i) => isParameter(part) || part === asked[i])
}

function isParameter(segment: string): boolean {
  return segment.startsWith(':')
}
