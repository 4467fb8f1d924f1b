import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { GrowthOperation } from '../growth/measure.ts'
import { OPERATIONS } from '../peers/result.ts'
import { barPlot, linePlot } from './plot.ts'
import type { Results } from './results.ts'
import { digits, tableOf } from './table.ts'
import { caseRows, GROWTH_TITLES, growthRows, neighbourRows, partRows, peerRows, startRows } from './tables.ts'

const ROOT = join(import.meta.dirname, '../../../..')
const GROWING: readonly GrowthOperation[] = ['retrieve', 'list', 'deep', 'filter', 'search']

/** Writes the tables of what is recorded into all pages that show them, and the plots: each figure has one source. */
export function writePages(results: Results): void {
  const tables = {
    cases: tableOf(caseRows(results.cases)),
    parts: tableOf(partRows(results.cases)),
    peers: tableOf(peerRows(results.peers)),
    growth: tableOf(growthRows(results.growth)),
    start: tableOf(startRows(results.start)),
    neighbours: tableOf(neighbourRows(results.neighbours)),
  }
  rewrite(join(import.meta.dirname, '../README.md'), tables, results)
  for (const page of ['README.md', 'docs/comparison.md']) rewrite(join(ROOT, page), { peers: tables.peers }, results)
  rewrite(join(ROOT, 'docs/start-up.md'), { start: tables.start }, results)
  writeFileSync(join(ROOT, 'docs/assets/bench-peers.svg'), peersPlot(results))
  writeFileSync(join(ROOT, 'docs/assets/bench-growth.svg'), growthPlot(results))
}

function rewrite(path: string, tables: Readonly<Record<string, string>>, { measured }: Results): void {
  const written = Object.entries(tables).reduce(
    (text, [name, table]) => {
      const when = measured[name as keyof typeof measured]
      return replaceBetween(text, name, when ? `${table}\n\n${when}` : table)
    },
    readFileSync(path, 'utf8'),
  )
  writeFileSync(path, written)
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
