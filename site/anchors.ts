/** The anchor that GitHub gives to a heading, and the site as well: one link leads to the same place in both. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}

/** The anchors of a page's headings. The second heading of the same words has `-1` behind it, as on GitHub. */
export function anchorsOf(markdown: string): ReadonlySet<string> {
  const times = new Map<string, number>()
  const headings = [...withoutFences(markdown).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
  return new Set(
    headings.map(heading => {
      const anchor = anchorOf(heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
      const before = times.get(anchor) ?? 0
      times.set(anchor, before + 1)
      return before === 0 ? anchor : `${anchor}-${before}`
    }),
  )
}

/** A page without its blocks of code, in which `#` is no heading and `](` no link. */
export function withoutFences(markdown: string): string {
  return markdown.replace(/^ *(?:- )?(`{3,})[^\n]*\n.*?^ *\1 *$/gms, '')
}
