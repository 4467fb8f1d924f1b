import { afterEach, expect, test, vi } from 'vitest'
import { headerKey } from '../../src/importing/plan/headers.ts'

afterEach(() => void vi.restoreAllMocks())

test.each([
  ['Native name', 'native_name'],
  ['  NATIVE \t name ', 'native_name'],
  ['Zu\u0308rich', 'z\u00fcrich'],
  [' ', ''],
  [`${'Long '.repeat(30)}`, `${'long_'.repeat(30).slice(0, -1)}`],
])('the header %j matches %j', (header, key) => {
  expect([headerKey(header), headerKey(header), headerKey(key)]).toEqual([key, key, key])
})

test('a header is folded once', () => {
  const fold = vi.spyOn(String.prototype, 'normalize')
  for (let i = 0; i < 3; i++) headerKey('Folded once')
  expect(fold).toHaveBeenCalledTimes(1)
})
