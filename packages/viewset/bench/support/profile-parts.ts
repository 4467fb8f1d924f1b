import type { Profiler } from 'node:inspector'

/** Who a request's time goes to; `own` is Viewset's code or, in the floor, what was written by hand. */
export const PARTS_OF_TIME = ['node', 'fastify', 'database', 'own', 'collector'] as const
export type PartOfTime = (typeof PARTS_OF_TIME)[number]

/** Shares of a server's time, which are 1 together. */
export type TimeParts = Readonly<Record<PartOfTime, number>>

/** Whose a script is, by its path. What is behind Fastify's own door is Fastify's, and a file is read by a parser of its own. */
const OWNERS: readonly (readonly [RegExp, PartOfTime])[] = [
  [/\/node_modules\/(pg|pg-[a-z]+|better-sqlite3)\//, 'database'],
  [/\/node_modules\/(zod|drizzle-orm)\//, 'own'],
  [/\/node_modules\//, 'fastify'],
  // Their time is SQLite's own, which no frame of JavaScript stands for, and the driver's.
  [/\/(src\/store\/dialect\/|bench\/floor\/|bench\/import\/floor-)(pg|sqlite)[^/]*$/, 'database'],
  [/\/(src|bench)\//, 'own'],
]

type Node = Profiler.ProfileNode

/**
 * Adds up where a profile's samples were. Code of Node and of V8 belongs to the driver where the driver has called it (a
 * socket to PostgreSQL), and to nobody else: reading requests and sending answers is the same for all.
 */
export function partsOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): TimeParts {
  const parents = new Map<number, Node>()
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node)
  const owners = new Map<number, PartOfTime | undefined>(nodes.map(node => [node.id, ownerOf(node, parents)]))
  const parts: Record<PartOfTime, number> = { node: 0, fastify: 0, database: 0, own: 0, collector: 0 }
  let all = 0
  samples.forEach((id, n) => {
    const [owner, time] = [owners.get(id), timeDeltas[n] ?? 0]
    if (!owner) return
    parts[owner] += time
    all += time
  })
  for (const part of PARTS_OF_TIME) parts[part] /= all
  return parts
}

function ownerOf(node: Node, parents: ReadonlyMap<number, Node>): PartOfTime | undefined {
  const { functionName, url } = node.callFrame
  if (functionName === '(idle)') return undefined
  if (functionName === '(garbage collector)') return 'collector'
  const own = scriptOwner(url)
  if (own) return own
  for (let at = parents.get(node.id); at; at = parents.get(at.id)) {
    const caller = scriptOwner(at.callFrame.url)
    if (caller) return caller === 'database' ? 'database' : 'node'
  }
  return 'node'
}

function scriptOwner(url: string): PartOfTime | undefined {
  return OWNERS.find(([path]) => path.test(url))?.[1]
}
