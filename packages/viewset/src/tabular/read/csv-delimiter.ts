const DELIMITERS = [',', ';', '\t', '|'] as const

/**
 * The delimiter of a CSV file, by its first two records: one that both have equally often, else the most frequent one of
 * the header. What stands in quotes does not count. `,` where there is none.
 */
export function sniffDelimiter(head: string): string {
  const [header = '', first = ''] = firstRecords(head)
  let best: { delimiter: string; isEven: boolean; count: number } = { delimiter: ',', isEven: false, count: 0 }
  for (const delimiter of DELIMITERS) {
    const count = occurrences(header, delimiter)
    const isEven = count > 0 && count === occurrences(first, delimiter)
    if (isEven === best.isEven ? count > best.count : isEven) best = { delimiter, isEven, count }
  }
  return best.delimiter
}

/** The first two records that are not blank, without what stands in quotes. */
function firstRecords(head: string): string[] {
  const bare = head.replace(/(^|[,;\t|\r\n])"(?:[^"]|"")*(?:"|$)/g, '$1')
  return bare.split(/\r\n|\n|\r/).filter(record => record.trim() !== '')
}

function occurrences(text: string, character: string): number {
  return text.split(character).length - 1
}
