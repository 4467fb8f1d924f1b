import { DATABASES } from '../case.ts'
import { GROWTH_OPERATIONS, type GrowthOperation, type GrowthResult } from '../growth/measure.ts'
import type { NeighbourResult } from '../neighbours/measure.ts'
import { OPERATIONS, type Operation, type PeerResult } from '../peers/result.ts'
import type { StartResult } from '../start/measure.ts'
import type { Compared } from './compare.ts'
import { PARTS_OF_TIME, type PartOfTime } from './profile-parts.ts'
import { type CaseResult, verdict } from './report.ts'
import type { Part, Results } from './results.ts'
import { digits, percentage, type TableRows } from './table.ts'

/** What hand-written code costs, and what Viewset costs beside it. */
function caseRows(results: readonly CaseResult[]): TableRows {
  const rows = results.map(result => {
    const { name, dialect, ratio, floorMs, viewsetMs, floorDatabaseMs, viewsetDatabaseMs, viewsetPeak } = result
    return [
      DATABASES[dialect],
      name,
      digits(floorMs),
      digits(viewsetMs),
      ratio.median.toFixed(2),
      `${ratio.lowerQuartile.toFixed(2)} to ${ratio.upperQuartile.toFixed(2)}`,
      verdict(result),
      floorDatabaseMs === null ? '' : `${digits(floorDatabaseMs)}, ${digits(viewsetDatabaseMs ?? 0)}`,
      digits(viewsetPeak),
    ]
  })
  const head = [
    'database',
    'case',
    'floor ms',
    'viewset ms',
    'ratio',
    'quartiles',
    'target',
    'PostgreSQL ms',
    'peak MB',
  ]
  return { words: 2, rows: [head, ...rows] }
}

/** What `npm run bench:quick` prints: each case beside its recorded ratio. */
export function quickRows(all: readonly Compared[]): TableRows {
  const rows = all.map(({ result, recorded, comparison, isRepeated }) => [
    result.name,
    digits(result.floorMs),
    digits(result.viewsetMs),
    result.ratio.median.toFixed(2),
    result.ratio.upperQuartile.toFixed(2),
    recorded ? recorded.ratio.median.toFixed(2) : '-',
    isRepeated ? `${comparison}, measured again` : comparison,
  ])
  const head = ['case on SQLite', 'floor ms', 'viewset ms', 'ratio', 'upper quartile', 'recorded ratio', 'beside it']
  return { words: 1, rows: [head, ...rows] }
}

const PART_TITLES: Readonly<Record<PartOfTime, string>> = {
  node: 'Node',
  fastify: 'Fastify, CSV parser',
  database: 'driver, SQLite',
  own: 'by hand, Viewset',
  collector: 'garbage collector',
}

/** Where the time of the cases goes that miss their targets: microseconds of a request, of the floor and of Viewset. */
function partRows(results: readonly CaseResult[]): TableRows {
  const rows = results.flatMap(({ name, dialect, parts, floorMs, viewsetMs }) => {
    if (!parts) return []
    const cells = PARTS_OF_TIME.map(part => {
      const [floor, viewset] = [parts.floor[part] * floorMs, parts.viewset[part] * viewsetMs]
      return `${digits(floor * 1_000)}, ${digits(viewset * 1_000)}`
    })
    return [[DATABASES[dialect], name, ...cells]]
  })
  return { words: 2, rows: [['database', 'case', ...PARTS_OF_TIME.map(part => PART_TITLES[part])], ...rows] }
}

const ASKED: Readonly<Record<Operation, string>> = {
  list: 'list of 20',
  get: 'get one',
  post: 'post one',
  bulk: 'bulk create 1,000',
  import: 'import 10,000',
  export: 'export 100,000',
}

export function peerRows(results: readonly PeerResult[]): TableRows {
  const head = ['', ...OPERATIONS.map(operation => ASKED[operation]), 'start', 'resident MB', 'lines']
  const rows = results.map(({ name, version, cpu, startCpuMs, memory, lines }) => [
    `${name} ${version}`,
    ...OPERATIONS.map(operation => shown(cpu[operation])),
    digits(startCpuMs),
    digits(memory),
    String(lines),
  ])
  return { words: 1, rows: [head, ...rows] }
}

/** The columns of the peers in which another server costs less, and its share of our cost. */
function cheaperRows({ peers }: Results): TableRows {
  // Costs of another day are those of another machine.
  const [ours, ...others] = peers.filter(({ measured }) => measured === undefined)
  const costs: readonly (readonly [title: string, cost: (peer: PeerResult) => number | null])[] = [
    ...OPERATIONS.map(operation => [ASKED[operation], ({ cpu }: PeerResult) => cpu[operation]] as const),
    ['start', ({ startCpuMs }) => startCpuMs],
    ['resident MB', ({ memory }) => memory],
    ['lines', ({ lines }) => lines],
  ]
  const rows = costs.flatMap(([title, cost]) => {
    const cheaper = others.flatMap(peer => {
      const [theirs, own] = [cost(peer), ours && cost(ours)]
      return theirs !== null && own && theirs < own ? [`${peer.name} ${percentage(theirs, own)}`] : []
    })
    return cheaper.length === 0 ? [] : [[title, cheaper.join(', ')]]
  })
  return { words: 2, rows: [['column', 'costs less'], ...(rows.length === 0 ? [['none', '']] : rows)] }
}

export const GROWTH_TITLES: Readonly<Record<GrowthOperation, string>> = {
  retrieve: 'retrieve',
  uncounted: 'page, no count',
  list: 'first page',
  deep: 'middle page',
  filter: 'filter',
  search: 'search',
  export: 'export, µs a row',
}

function growthRows(results: readonly GrowthResult[]): TableRows {
  const head = GROWTH_OPERATIONS.map(operation => GROWTH_TITLES[operation])
  const rows = results.map(({ dialect, rows, cpu, exportMemory }) => [
    DATABASES[dialect],
    rows.toLocaleString('en-US'),
    ...GROWTH_OPERATIONS.map(operation => digits(cpu[operation])),
    digits(exportMemory),
  ])
  return { words: 1, rows: [['database', 'rows', ...head, 'resident MB'], ...rows] }
}

function startRows(results: readonly StartResult[]): TableRows {
  const rows = results.map(({ name, startMs, startCpuMs, memory, targetMs, targetMemory }) => {
    const isMet = (startMs ?? 0) <= (targetMs ?? 0) && memory <= (targetMemory ?? 0)
    const target = targetMs === null ? '' : `${digits(targetMs)} ms, ${targetMemory} MB ${isMet ? 'met' : 'missed'}`
    return [
      name,
      startMs === null ? '' : digits(startMs),
      startCpuMs === null ? '' : digits(startCpuMs),
      digits(memory),
      target,
    ]
  })
  return { words: 1, rows: [['', 'first answer, ms', 'CPU ms', 'MB', 'target'], ...rows] }
}

export function neighbourRows(results: readonly NeighbourResult[]): TableRows {
  const rows = results.map(({ dialect, beside, rows, p50Ms, p99Ms, mostMs, seconds, heldMs, memory }) => [
    DATABASES[dialect],
    beside === 'nothing' ? beside : `${beside}, ${rows.toLocaleString('en-US')} rows`,
    ...[p50Ms, p99Ms, mostMs, seconds, heldMs, memory].map(digits),
  ])
  const head = ['database', 'a retrieve beside', 'p50 ms', 'p99 ms', 'most ms', 'took s', 'loop held ms', 'peak MB']
  return { words: 2, rows: [head, ...rows] }
}

function shown(value: number | null): string {
  return value === null ? '-' : digits(value)
}

const COSTS: readonly (readonly [name: string, title: string])[] = [
  ['retrieve', 'a record'],
  ['list-without-count', 'a page of 20, without its count'],
  ['list', 'a page of 20 of 100,000, with its count'],
  ['create', 'a create'],
  ['patch', 'a change'],
  ['bulk-create', 'a bulk create of 1,000'],
  ['bulk-patch', 'a bulk change of 1,000'],
  ['import-csv', 'an import of 100,000 rows'],
  ['export-csv', 'an export of 100,000 rows'],
]

/** What a request costs an API, without the code written by hand beside it. */
function costRows({ cases }: Results): TableRows {
  const find = (name: string, dialect: 'sqlite' | 'pg') =>
    cases.find(one => one.name === name && one.dialect === dialect)
  const rows = COSTS.map(([name, title]) => {
    const [pg, sqlite] = [find(name, 'pg'), find(name, 'sqlite')]
    return [title, shown(pg?.viewsetMs ?? null), shown(pg?.viewsetDatabaseMs ?? null), shown(sqlite?.viewsetMs ?? null)]
  })
  return { words: 1, rows: [['CPU ms', 'process, on PostgreSQL', 'PostgreSQL', 'process, on SQLite'], ...rows] }
}

/** Searches and pages far behind the first read rows in proportion to the table; the others read as many in any table. */
const IN_PROPORTION: readonly GrowthOperation[] = ['deep', 'filter', 'search']

/** Ten times the cost of a million rows, or the same cost, and the measured cost of ten million. */
function tenfoldRows({ growth }: Results): TableRows {
  const cost = (dialect: 'sqlite' | 'pg', rows: number, operation: GrowthOperation) => {
    return growth.find(one => one.dialect === dialect && one.rows === rows)?.cpu[operation] ?? null
  }
  const rows = GROWTH_OPERATIONS.map(operation => {
    const cells = (['pg', 'sqlite'] as const).flatMap(dialect => {
      const million = cost(dialect, 1_000_000, operation)
      const expected = million === null ? null : million * (IN_PROPORTION.includes(operation) ? 10 : 1)
      return [shown(expected), shown(cost(dialect, 10_000_000, operation))]
    })
    return [GROWTH_TITLES[operation], ...cells]
  })
  const head = ['CPU ms', 'PostgreSQL: expected', 'measured', 'SQLite: expected', 'measured']
  return { words: 1, rows: [head, ...rows] }
}

/** Requests for lists, with tables of different sizes beside each other. */
function listRows({ lists }: Results): TableRows {
  const places = [...new Map(lists.map(({ dialect, rows }) => [`${dialect} ${rows}`, { dialect, rows }])).values()]
  const names = [...new Set(lists.map(({ name }) => name))]
  const rows = names.map(name => [
    name,
    ...places.map(({ dialect, rows: size }) => {
      const result = lists.find(one => one.name === name && one.dialect === dialect && one.rows === size)
      return shown(result?.medianMs ?? null)
    }),
  ])
  const head = places.map(({ dialect, rows: size }) => `${DATABASES[dialect]}, ${size.toLocaleString('en-US')} rows`)
  return { words: 1, rows: [['CPU ms', ...head], ...rows] }
}

export interface NamedTable {
  readonly rows: (results: Results) => TableRows
  /** Whose date stands below the table. */
  readonly part?: Part
}

/** The tables of the pages by their names. */
export const TABLES = {
  cases: { rows: ({ cases }) => caseRows(cases), part: 'cases' },
  quick: { rows: ({ quick }) => caseRows(quick), part: 'quick' },
  parts: { rows: ({ cases }) => partRows(cases) },
  costs: { rows: costRows, part: 'cases' },
  peers: { rows: ({ peers }) => peerRows(peers), part: 'peers' },
  cheaper: { rows: cheaperRows },
  growth: { rows: ({ growth }) => growthRows(growth), part: 'growth' },
  tenfold: { rows: tenfoldRows, part: 'growth' },
  lists: { rows: listRows, part: 'lists' },
  start: { rows: ({ start }) => startRows(start), part: 'start' },
  neighbours: { rows: ({ neighbours }) => neighbourRows(neighbours), part: 'neighbours' },
} as const satisfies Readonly<Record<string, NamedTable>>
