/** The anchor that GitHub gives to a heading, and the site as well: one link leads to the same place in both. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

/** The anchors of a page's headings, from its top to its end. */
export class Anchors {
  readonly #times = new Map<string, number>()

  constructor(...headings: readonly string[]) {
    for (const heading of headings) this.next(heading)
  }

  /** The anchor of the next heading. The second one of the same words has `-1` behind it, as on GitHub. */
  next(heading: string): string {
    const anchor = anchorOf(heading)
    const times = this.#times.get(anchor) ?? 0
    this.#times.set(anchor, times + 1)
    return times === 0 ? anchor : `${anchor}-${times}`
  }
}

/** All anchors of a page. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const anchors = new Anchors()
  const headings = withoutFences(markdown).matchAll(/^#+ (.+)$/gm)
  return new Set(Array.from(headings, ([, heading = '']) => anchors.next(withoutLinks(heading))))
}

function withoutLinks(text: string): string {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
}

/** A page without its blocks of code, in which `#` is no heading and `](` no link. */
export function withoutFences(markdown: string): string {
  return markdown.replace(/^ *(?:- )?(`{3,})[^\n]*\n.*?^ *\1 *$/gms, '')
}
