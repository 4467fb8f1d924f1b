import type { ApiRequest } from 'viewset'
import { IsAdminUser } from 'viewset'
import { expect, test } from 'vitest'
import { authenticateBy } from '../templates/base/src/users.ts'

test('the user with the key of .env is an admin', async () => {
  const key = 'a-key-of-20-characters'
  const headers: Partial<ApiRequest> = { headers: { 'x-api-key': key } }
  const user = await authenticateBy(key)(headers as ApiRequest)
  expect(IsAdminUser.hasPermission({ user, action: 'list', method: 'GET' })).toBe(true)
})
