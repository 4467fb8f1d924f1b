import { inject, test } from 'vitest'
import type {} from '../../../../packages/viewset/test/support/global-setup.ts'
import { postgresCopies } from '../support/faces/atlas-copies.ts'
import { expectSameBytes } from '../support/faces/compare-faces.ts'

test('the atlas on PostgreSQL answers the same bytes over Fastify, Hono, Express and node:http', async () => {
  const copies = await postgresCopies(inject('postgresUrl'))
  await expectSameBytes(copies).finally(copies.remove)
})
