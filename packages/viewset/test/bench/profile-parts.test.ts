import type { Profiler } from 'node:inspector'
import { expect, test } from 'vitest'
import { partsOf } from '../../bench/support/profile-parts.ts'

/** Frames that called one another, outermost first; each was seen for 1 ms. */
function profileOf(stacks: readonly (readonly (readonly [name: string, url: string])[])[]): Profiler.Profile {
  const nodes: Profiler.ProfileNode[] = []
  const samples: number[] = []
  for (const stack of stacks) {
    for (const [index, [functionName, url]] of stack.entries()) {
      const id = nodes.length + 1
      const callFrame = { functionName, url, scriptId: '1', lineNumber: 0, columnNumber: 0 }
      nodes.push({ id, callFrame, children: index < stack.length - 1 ? [id + 1] : [] })
    }
    samples.push(nodes.length)
  }
  return { nodes, startTime: 0, endTime: samples.length, samples, timeDeltas: samples.map(() => 1_000) }
}

const ROOT = ['(root)', ''] as const
const PACKAGE = 'file:///app/packages/viewset'

test('time is whose code it was, and the time of Node is the driver’s where that has called it', () => {
  const parts = partsOf(
    profileOf([
      [ROOT, ['read', 'node:net']],
      [ROOT, ['handle', `${PACKAGE}/src/viewset/handle.ts`], ['writev', '']],
      [ROOT, ['handle', `${PACKAGE}/src/viewset/handle.ts`]],
      [ROOT, ['createPlace', `${PACKAGE}/bench/floor/places.ts`]],
      [ROOT, ['run', `${PACKAGE}/src/store/dialect/sqlite-connection.ts`]],
      [ROOT, ['rows', `${PACKAGE}/bench/floor/sqlite.ts`]],
      [ROOT, ['query', 'file:///app/node_modules/pg/lib/client.js'], ['write', 'node:net'], ['writeBuffer', '']],
      [ROOT, ['routeHandler', 'file:///app/node_modules/fastify/lib/route.js']],
      [ROOT, ['safeParse', 'file:///app/node_modules/zod/v4/core/parse.js']],
      [ROOT, ['(garbage collector)', '']],
      [ROOT, ['(idle)', '']],
    ]),
  )
  expect(parts).toEqual({ node: 0.2, own: 0.3, database: 0.3, fastify: 0.1, collector: 0.1 })
})
