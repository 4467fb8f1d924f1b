import crypto, { randomBytes } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { apiKey, hashApiKey } from 'viewset/auth'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'

// The real comparison, which only tells what it was asked.
const compare = vi.spyOn(crypto, 'timingSafeEqual')
syncBuiltinESMExports()
afterAll(() => {
  compare.mockRestore()
  syncBuiltinESMExports()
})
const newKey = () => randomBytes(24).toString('base64url')

describe('API keys are compared in constant time', () => {
  const keys = Array.from({ length: 5 }, newKey)
  const users = keys.map((key, id) => [hashApiKey(key), { id }] as const)
  const ask = async (key: string, options: Parameters<typeof apiKey>[0] = { keys: Object.fromEntries(users) }) =>
    apiKey(options)({ headers: { 'x-api-key': key } } as unknown as Parameters<ReturnType<typeof apiKey>>[0])
  beforeEach(() => void compare.mockClear())

  test.each([0, 1, 2, 3, 4])('with all that there are, also behind the one that matches (key %i)', async at => {
    await expect(ask(keys[at]!)).resolves.toEqual({ id: at })
    expect(compare).toHaveBeenCalledTimes(keys.length)
  })

  test.each([
    ['unknown', newKey()],
    ['almost right', `${keys[0]!.slice(0, -1)}~`],
    ['empty', ''],
    ['a name that every object has', '__proto__'],
    ['the hash itself', users[0]![0]],
  ])('with all that there are, when the key is %s', async (_, key) => {
    await expect(ask(key)).rejects.toThrow('The API key is not valid.')
    expect(compare).toHaveBeenCalledTimes(keys.length)
  })

  test('as hashes of one length, never as the secrets themselves', async () => {
    for (const key of [keys[0]!, 'short', 'x'.repeat(1_000)]) await ask(key).catch(() => null)
    const compared = compare.mock.calls.flat().map(bytes => Buffer.from(bytes as Uint8Array))
    expect(new Set(compared.map(bytes => bytes.length))).toEqual(new Set([32]))
    for (const bytes of compared) expect(keys).not.toContain(bytes.toString())
  })

  test('a lookup gets the hash, never the secret', async () => {
    const lookup = vi.fn(() => ({ id: 'found' }))
    await expect(ask('secret', { lookup })).resolves.toEqual({ id: 'found' })
    expect(lookup.mock.calls).toEqual([[hashApiKey('secret')]])
  })
})
