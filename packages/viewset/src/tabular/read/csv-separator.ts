/** `sep=;`, perhaps in quotes: what Excel takes for a note on the file, and shows as no row. */
const SEPARATOR_LINE = /^("?)sep=([\t !#-~])\1(?:\r\n|\n|\r)/i

/** The delimiter that the first line of a CSV file names, and the characters of that line; `undefined` where it is none. */
export function readSeparatorLine(head: string): { readonly delimiter: string; readonly length: number } | undefined {
  const [line, , delimiter] = SEPARATOR_LINE.exec(head) ?? []
  return line === undefined || delimiter === undefined ? undefined : { delimiter, length: line.length }
}
