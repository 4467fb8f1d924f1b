/** The first row is the head; in all columns but the first few, which are words, cells stand at the right. */
export interface TableRows {
  readonly words: number
  readonly rows: readonly (readonly string[])[]
}

/** A table in Markdown whose columns are aligned, so that it can be read as text as well. */
export function tableOf({ words, rows }: TableRows): string {
  const [head = []] = rows
  const widths = head.map((_, column) => Math.max(...rows.map(row => (row[column] ?? '').length), 3))
  const isWord = (column: number) => column < words
  const line = (cells: readonly string[]) => {
    const padded = widths.map((width, n) =>
      isWord(n) ? (cells[n] ?? '').padEnd(width) : (cells[n] ?? '').padStart(width),
    )
    return `| ${padded.join(' | ')} |`
  }
  const rule = `|${widths.map((width, n) => (isWord(n) ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`
  return [line(head), rule, ...rows.slice(1).map(line)].join('\n')
}

/** How much the first value is of the second one. */
export function percentage(value: number, whole: number): string {
  return `${Math.round((100 * value) / whole)} %`
}

/** Three digits: more are not to be had. */
export function digits(value: number): string {
  if (value >= 1_000) return Math.round(value).toLocaleString('en-US')
  return value >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(value < 0.1 ? 2 : 3)))
}
