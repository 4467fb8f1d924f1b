import { ConfigError } from 'viewset'
import { describe, expect, test } from 'vitest'
import { configMistakes } from './config-mistakes.ts'
import { expectPlain } from './rules.ts'

describe('each mistake in a configuration stops the start with a ConfigError', () => {
  test.each(configMistakes)('%s', async (_, configure, said) => {
    const start = async () => configure()
    const thrown = await start().then(
      () => 'nothing was refused',
      (error: unknown) => error,
    )
    expect(thrown).toBeInstanceOf(ConfigError)
    expect((thrown as ConfigError).message).toBe(said)
  })
})

describe('the message about each mistake in a configuration is plain, and names the place', () => {
  test.each(configMistakes)('%s', (_, _configure, said) => {
    expectPlain(said)
    expect(said).toMatch(/^[^:]+: [^:]+: \S/)
  })
})

test('there are at least 100 mistakes, each with its own name', () => {
  const names = configMistakes.map(([name]) => name)
  expect(names.length).toBeGreaterThanOrEqual(100)
  expect(new Set(names).size).toBe(names.length)
})
