import { test } from 'vitest'
import { sqliteCopies } from './support/faces/atlas-copies.ts'
import { expectSameBytes } from './support/faces/compare-faces.ts'

test('the atlas answers the same bytes over Fastify, Hono, Express and node:http', async () => {
  const copies = await sqliteCopies()
  await expectSameBytes(copies).finally(copies.remove)
}, 120_000)
