import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestApi } from './support/api.ts'

const api = await startTestApi()
after(() => api.close())

test('the root lists the resources', async () => {
  const root = await api.get('/')
  assert.equal(root.status, 200)
  assert.ok(Array.isArray(root.data()))
})
