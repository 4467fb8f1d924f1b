/** Whether a client prefers a page to JSON: a browser names `text/html`, other clients `application/json` or neither. */
export function prefersHtml(accept: string | undefined): boolean {
  const ranges = (accept ?? '').split(',').map(readRange)
  const qualityOf = (type: string) => ranges.find(range => range.type === type)?.quality ?? 0
  const html = qualityOf('text/html')
  return html > 0 && html > qualityOf('application/json')
}

/** A media range of the header `Accept` (RFC 9110, 12.5.1). */
function readRange(text: string): { readonly type: string; readonly quality: number } {
  const [type = '', ...parameters] = text.split(';').map(part => part.trim().toLowerCase())
  const weight = parameters.find(parameter => parameter.startsWith('q='))
  const quality = weight === undefined ? 1 : Number(weight.slice(2))
  return { type, quality: Number.isFinite(quality) ? quality : 0 }
}
