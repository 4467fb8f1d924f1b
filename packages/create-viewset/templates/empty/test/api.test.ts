import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startTestApi } from './support/api.ts'

const api = await startTestApi()
after(() => api.close())

test('the root lists the resources', async () => {
  assert.deepEqual((await api.get('/')).data(), [])
})
