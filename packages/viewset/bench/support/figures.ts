import { OPERATIONS } from '../peers/result.ts'
import type { Results } from './results.ts'
import { digits, percentage } from './table.ts'

interface Figure {
  readonly value: number
  /** Nothing for a ratio. */
  readonly unit: string
}

const STARTS: Readonly<Record<string, string>> = {
  'one resource on SQLite': 'app',
  'the same without `--import viewset/fast-drizzle`': 'plain',
  'the same, bundled by esbuild': 'bundle',
  'Fastify and better-sqlite3 by hand': 'hand',
  'by hand, bundled by esbuild': 'hand-bundle',
  'second start of the atlas, heap of 256 MB': 'atlas',
}

const PEERS: Readonly<Record<string, string>> = {
  viewset: 'viewset',
  'Fastify + Drizzle by hand': 'hand',
  'Nest + @dataui/crud (TypeORM)': 'nest',
  Remult: 'remult',
  Feathers: 'feathers',
  'Django REST framework': 'django',
}

/** Every figure that a page may quote, by its name: `start.app.ms`, `peers.viewset.import`, `growth.pg.1000000.deep`. */
function figuresOf(results: Results): ReadonlyMap<string, Figure> {
  const figures = new Map<string, Figure>()
  const add = (name: string, value: number | null, unit: string) => {
    if (value !== null) figures.set(name, { value, unit })
  }
  for (const { name, startMs, startCpuMs, memory } of results.start) {
    const key = `start.${STARTS[name] ?? name}`
    add(`${key}.ms`, startMs, 'ms')
    add(`${key}.cpu`, startCpuMs, 'ms')
    add(`${key}.memory`, memory, 'MB')
  }
  for (const { name, cpu, startCpuMs, memory, lines } of results.peers) {
    const key = `peers.${PEERS[name] ?? name}`
    for (const operation of OPERATIONS) add(`${key}.${operation}`, cpu[operation], 'ms')
    add(`${key}.start`, startCpuMs, 'ms')
    add(`${key}.memory`, memory, 'MB')
    add(`${key}.lines`, lines, 'lines')
  }
  for (const { dialect, rows, cpu, exportMemory } of results.growth) {
    const key = `growth.${dialect}.${rows}`
    for (const [operation, value] of Object.entries(cpu)) add(`${key}.${operation}`, value, 'ms')
    add(`${key}.export`, cpu.export, 'µs')
    add(`${key}.memory`, exportMemory, 'MB')
  }
  for (const {
    name,
    dialect,
    ratio,
    floorMs,
    viewsetMs,
    floorDatabaseMs,
    viewsetDatabaseMs,
    viewsetPeak,
  } of results.cases) {
    const key = `cases.${dialect}.${name}`
    add(`${key}.ratio`, ratio.median, '')
    // With the CPU time of PostgreSQL.
    add(`${key}.whole`, (floorMs + (floorDatabaseMs ?? 0)) / (viewsetMs + (viewsetDatabaseMs ?? 0)), '')
    add(`${key}.floor`, floorMs, 'ms')
    add(`${key}.ms`, viewsetMs, 'ms')
    add(`${key}.database`, viewsetDatabaseMs, 'ms')
    add(`${key}.memory`, viewsetPeak, 'MB')
  }
  return figures
}

function shownFigure({ value, unit }: Figure): string {
  return unit === '' ? value.toFixed(2) : `${digits(value)} ${unit}`
}

/** Names with the same beginning, or all beginnings. */
function similarTo(name: string, figures: ReadonlyMap<string, Figure>): string {
  const start = (one: string, length: number) => one.split('.').slice(0, length).join('.')
  const similar = [2, 1].map(length => [...figures.keys()].filter(one => start(one, length) === start(name, length)))
  const known = similar.find(names => names.length > 0) ?? [...new Set([...figures.keys()].map(one => start(one, 1)))]
  return `There are ${known.join(', ')}.`
}

/** Writes the figures of a page: `<!-- figure:start.app.ms -->517 ms<!-- /figure -->`; of `a/b`, how much a is of b. */
export function withFigures(page: string, results: Results): string {
  const figures = figuresOf(results)
  const find = (name: string) => {
    const figure = figures.get(name)
    if (!figure) throw new Error(`results.json has no figure "${name}". ${similarTo(name, figures)}`)
    return figure
  }
  return page.replace(/(<!-- figure:(\S+) -->).*?(<!-- \/figure -->)/gs, (_, start, names: string, end) => {
    const [name = '', whole] = names.split('/')
    const { value, unit } = find(name)
    const shown = whole === undefined ? shownFigure({ value, unit }) : percentage(value, find(whole).value)
    return `${start}${shown}${end}`
  })
}
