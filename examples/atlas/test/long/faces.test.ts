import { inject, test } from 'vitest'
import type {} from '../../../../packages/viewset/test/support/global-setup.ts'
import { postgresCopies, sqliteCopies } from '../support/faces/atlas-copies.ts'
import { expectSameBytes } from '../support/faces/compare-faces.ts'

test.each([
  ['SQLite', () => sqliteCopies()],
  ['PostgreSQL', () => postgresCopies(inject('postgresUrl'))],
])('the atlas on %s answers the same bytes over Fastify, Hono, Express and node:http', async (_, copy) => {
  const copies = await copy()
  await expectSameBytes(copies).finally(copies.remove)
})
