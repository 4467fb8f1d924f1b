import { currentDb } from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Method, useApi } from '../support/api.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { authenticate, resources, said, tables } from './http-api.ts'
import { httpMistakes } from './http-mistakes.ts'
import { expectPlain } from './rules.ts'

/** Words for the place of a mistake in a request. */
const PLACES =
  /\b(body|address|URL|page|cursor|list|object|header|token|key|file|workbook|row|column|user|sign|record|values of|action)/i
const MARKS = /[.?!]$|https?:\S+$/

const cases = httpMistakes.map(mistake => [mistake[0], mistake] as const)

describe('each mistake over HTTP', () => {
  const api = useApi(sqliteDialect, { tables, resources, authenticate, jobs: { tables, work: false } })

  beforeEach(() =>
    api.database.transaction(async () => {
      const names = [
        { code: 'NO', name: 'Norway' },
        { code: 'SE', name: 'Sweden' },
        { code: 'FI', name: 'Finland' },
      ]
      const stored = [
        { name: 'Oslo', country: 1, plate: 'OSL' },
        { name: 'Bergen', country: 1 },
      ]
      await currentDb().insert(tables.countries).values(names)
      await currentDb().insert(tables.cities).values(stored)
      await currentDb().insert(tables.labels).values({ text: 'coast' })
    }),
  )

  test.each(cases)('%s', async (_, [, request, sent, ...expected]) => {
    const [method, path] = request.split(' ') as [Method, string]
    const answer = await api.request(method, path, await sent)
    expect(said(answer)).toEqual(expected)
    expect(answer.envelope().success).toBe(false)
    expect(answer.status === 207 || (answer.status >= 400 && answer.status < 500)).toBe(true)
  })
})

describe('the message about each mistake over HTTP is plain, and names the value or the place', () => {
  test.each(cases)('%s', (_, [, request, , ...expected]) => {
    for (const text of expected) {
      expectPlain(text)
      expect(text).toMatch(MARKS)
      if (!request.includes('undefined')) expect(text).not.toContain('undefined')
    }
    expect(expected.join('\n')).toMatch(new RegExp(`"|^(\\d{3} )?[\\w., ]+: |${PLACES.source}`, 'm'))
  })
})

test('there are at least 100 mistakes, each with its own name', () => {
  const names = httpMistakes.map(([name]) => name)
  expect(names.length).toBeGreaterThanOrEqual(100)
  expect(new Set(names).size).toBe(names.length)
})
