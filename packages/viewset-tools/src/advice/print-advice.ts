import type { CatalogueTable } from '../catalogue/catalogue.ts'
import { onOneLine } from '../code.ts'
import type { AdvisedIndex } from './advise.ts'
import type { IndexCode } from './index-code.ts'
import type { Reason } from './needs.ts'

export interface TableAdvice {
  readonly table: CatalogueTable
  readonly rows: number
  readonly isEstimate: boolean
  readonly indexes: readonly (AdvisedIndex & IndexCode)[]
}

export interface Advice {
  readonly tables: readonly TableAdvice[]
  /** Sentences about requests that no index can speed up. */
  readonly notes: readonly string[]
  /** Tables that lack indexes, but are too small for it to matter. */
  readonly small: readonly string[]
  /** Tables with fewer rows are not reported. */
  readonly threshold: number
  /** The number of resources whose tables were examined. */
  readonly resources: number
}

export function adviceText({ tables, notes, small, threshold, resources }: Advice): string {
  const blocks = tables.map(({ indexes, ...table }) => {
    return [heading(table), ...indexes.flatMap(index => [...indexText(index)].map(line => `  ${line}`))].join('\n')
  })
  if (tables.length === 0) {
    const all = small.length > 0 ? 'that matter' : `that the requests of its ${counted(resources, 'resource')} ask for`
    blocks.push(`Nothing is missing: the database has the indexes ${all}.`)
  }
  if (tables.some(({ indexes }) => indexes.length > 0)) {
    blocks.push(
      'Each index makes writes a little dearer. Take those that your clients ask for; an ordering or a filter that\nnobody uses can leave the resource instead. --sql prints the statements that make them.',
    )
  }
  if (notes.length > 0) blocks.push(notes.map(note => `Note: ${note}`).join('\n'))
  if (small.length > 0) {
    const size = threshold.toLocaleString('en')
    blocks.push(`Left out, with fewer than ${size} rows: ${small.join(', ')}. With --rows 0 they are told of, too.`)
  }
  return blocks.join('\n\n')
}

function* indexText(index: AdvisedIndex & IndexCode): Generator<string> {
  const { table, columns, line, declared, reasons, replaces, cautions } = index
  yield line ?? `an index of ${table.name} on (${columns.join(', ')})`
  if (declared) yield '  is in the model, but not in the database: a migration is missing'
  for (const text of reasonTexts(reasons)) yield `  for ${text}`
  if (replaces.length > 0) yield `  makes superfluous: ${replaces.join(', ')}`
  for (const caution of cautions) yield `  ${caution}`
}

/** The requests of each resource, on one line. */
function reasonTexts(reasons: readonly Reason[]): readonly string[] {
  const byResource = Map.groupBy(reasons, ({ resource }) => resource)
  return [...byResource].map(
    ([resource, ofResource]) => `${resource}: ${ofResource.map(({ request }) => request).join(', ')}`,
  )
}

/** The reasons become SQL comments. */
export function adviceSql({ tables }: Advice): string {
  if (tables.length === 0) return '-- Nothing is missing.'
  const blocks = tables.map(({ indexes, ...table }) => {
    const parts = indexes.map(({ line, reasons, replaces, cautions, statements }) => {
      const comments = [
        ...(line === null ? [] : [line]),
        ...reasonTexts(reasons),
        ...(replaces.length > 0 ? [`Makes superfluous: ${replaces.join(', ')}`] : []),
        ...cautions.map(caution => `It ${caution}.`),
      ]
      return [...comments.map(text => `-- ${onOneLine(text)}`), ...statements.map(text => `${text};`)].join('\n')
    })
    return [`-- ${onOneLine(heading(table))}`, ...parts].join('\n\n')
  })
  return blocks.join('\n\n')
}

export function adviceJson({ tables, notes }: Advice): string {
  const listed = tables.map(({ table, rows, isEstimate, indexes }) => ({
    schema: table.schema,
    table: table.name,
    rows,
    estimated: isEstimate,
    indexes: indexes.map(({ kind, columns, line, declared, reasons, replaces, cautions, statements }) => {
      return { kind, columns, line, declared, reasons, replaces, cautions, sql: statements }
    }),
  }))
  return JSON.stringify({ tables: listed, notes }, null, 2)
}

function heading({ table, rows, isEstimate }: Omit<TableAdvice, 'indexes'>): string {
  return `${table.name}, ${isEstimate ? 'about ' : ''}${counted(rows, 'row')}`
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`
}
