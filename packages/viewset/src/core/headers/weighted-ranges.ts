/** A range of `Accept` or `Accept-Language` with its weight. */
export interface WeightedRange {
  /** In lower case, without parameters. */
  readonly range: string
  /** From 0, for what the client refuses, to 1; NaN if it is not a number. */
  readonly weight: number
}

/**
 * The ranges of a header in the order of the client (RFC 9110, 12.4.2).
 *
 * @example
 * weightedRanges('de, en;q=0.5') // [{ range: 'de', weight: 1 }, { range: 'en', weight: 0.5 }]
 */
export function weightedRanges(header: string): readonly WeightedRange[] {
  const parts = header.toLowerCase().replace(/\s/g, '').split(',')
  return parts.flatMap(part => {
    const [range = '', ...parameters] = part.split(';')
    const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2)
    return range === '' ? [] : [{ range, weight: weight === undefined ? 1 : Number(weight) }]
  })
}
