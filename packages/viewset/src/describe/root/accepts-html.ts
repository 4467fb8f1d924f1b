import { weightedRanges } from '../../core/headers/weighted-ranges.ts'

/** Whether a client prefers a page to JSON: a browser names `text/html`, other clients `application/json` or neither. */
export function prefersHtml(accept: string | undefined): boolean {
  const ranges = weightedRanges(accept ?? '')
  const qualityOf = (type: string) => {
    const weight = ranges.find(({ range }) => range === type)?.weight ?? 0
    return Number.isFinite(weight) ? weight : 0
  }
  const html = qualityOf('text/html')
  return html > 0 && html > qualityOf('application/json')
}
