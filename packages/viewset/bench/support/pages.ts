import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GrowthOperation } from '../growth/measure.ts'
import { OPERATIONS } from '../peers/result.ts'
import { withFigures } from './figures.ts'
import { barPlot, linePlot } from './plot.ts'
import { nameOf, type Part, type Results } from './results.ts'
import { digits, tableOf } from './table.ts'
import { GROWTH_TITLES, type NamedTable, peerRows, TABLES } from './tables.ts'

const ROOT = join(import.meta.dirname, '../../../..')
/** All that may quote a figure. */
const PAGES = [
  'README.md',
  'docs/*.md',
  'docs/cookbook/*.md',
  'packages/*/README.md',
  'packages/viewset/bench/README.md',
]
const GROWING: readonly GrowthOperation[] = ['retrieve', 'list', 'deep', 'filter', 'search']

/** Writes what is recorded into all pages that show it, and the plots: each figure has one source. */
export function writePages(results: Results): void {
  for (const [path, text] of renderAll(results)) writeFileSync(join(ROOT, path), text)
}

/** The pages with tables and figures, and the plots, as they show `results`: their text by their path. */
export function renderAll(results: Results): ReadonlyMap<string, string> {
  const pages = PAGES.flatMap(pattern => globSync(pattern, { cwd: ROOT })).map(path => {
    return [path, renderPage(readFileSync(join(ROOT, path), 'utf8'), results)] as const
  })
  return new Map([
    ...pages,
    ['docs/assets/bench-peers.svg', peersPlot(results)],
    ['docs/assets/bench-growth.svg', growthPlot(results)],
  ])
}

/** A page with the tables and the figures that it names. */
export function renderPage(page: string, results: Results): string {
  const names = Array.from(page.matchAll(/^<!-- bench:(\w+) -->$/gm), ([, name = '']) => name)
  const written = names.reduce((text, name) => replaceBetween(text, name, tableNamed(name, results)), page)
  return withFigures(written, results)
}

function tableNamed(name: string, results: Results): string {
  const [, table] = Object.entries<NamedTable>(TABLES).find(([one]) => one === name) ?? []
  if (!table) throw new Error(`There is no table "${name}". There are ${Object.keys(TABLES).join(', ')}.`)
  const when = table.part && whenMeasured(results, table.part)
  const text = tableOf(table.rows(results))
  return when ? `${text}\n\n${when}` : text
}

/** When and where a part was measured, and each of its results that was not measured with the others. */
function whenMeasured(results: Results, part: Part): string | undefined {
  const rows: readonly Results[Part][number][] = results[part]
  const days = Map.groupBy(rows, row => row.measured)
  const others = [...days].flatMap(([day, kept]) => (day === undefined ? [] : `${kept.map(nameOf).join('; ')}: ${day}`))
  const most = results.measured[part]
  return most && [most, ...others].join('. ')
}

/** What stands between `<!-- bench:name -->` and `<!-- /bench:name -->` becomes something else. */
export function replaceBetween(page: string, name: string, content: string): string {
  const [start, end] = [`<!-- bench:${name} -->`, `<!-- /bench:${name} -->`]
  const [from, to] = [page.indexOf(start), page.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`A page has no place for its table: ${start} and ${end}`)
  return `${page.slice(0, from + start.length)}\n\n${content}\n\n${page.slice(to)}`
}

function peersPlot({ peers }: Results): string {
  const [head = []] = peerRows(peers).rows
  const panels = OPERATIONS.map((operation, n) => ({
    title: `${head[n + 1]}, CPU ms`,
    bars: peers.map(({ name, cpu }) => ({ label: shortName(name), value: cpu[operation] })),
  }))
  return barPlot('CPU time of one request in ms, of Viewset and of its peers; less is better', panels, digits)
}

/** `Django REST framework` takes more room than there is. */
function shortName(name: string): string {
  const names: Readonly<Record<string, string>> = {
    'Fastify + Drizzle by hand': 'Fastify by hand',
    'Nest + @dataui/crud (TypeORM)': 'Nest + crud',
    'Django REST framework': 'Django REST fw.',
  }
  return names[name] ?? name
}

function growthPlot({ growth }: Results): string {
  const panel = (dialect: 'sqlite' | 'pg', title: string) => ({
    title,
    lines: GROWING.map(operation => ({
      label: GROWTH_TITLES[operation],
      points: growth
        .filter(result => result.dialect === dialect)
        .map(({ rows, cpu }) => [rows, cpu[operation]] as const),
    })),
  })
  const panels = [panel('sqlite', 'SQLite'), panel('pg', 'PostgreSQL')].filter(({ lines }) => lines[0]?.points.length)
  return linePlot('What a request costs in tables of a thousand rows and more', panels, {
    x: 'rows in the table',
    y: 'CPU ms of a request',
  })
}
