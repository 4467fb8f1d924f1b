import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { said } from '../../../../packages/viewset/test/mistakes/http-api.ts'
import { expectPlain } from '../../../../packages/viewset/test/mistakes/rules.ts'
import { openDatabase } from '../../src/database.ts'
import { startSmallAtlas, tokens } from '../support/small-atlas.ts'
import { officeMistakes } from './office-mistakes.ts'

const directory = mkdtempSync(join(tmpdir(), 'atlas-test-'))
const ids = new Map<string, string>()
let app: FastifyInstance
let origin: string

beforeAll(async () => {
  ;({ app, origin } = await startSmallAtlas(await openDatabase({ ATLAS_DATA_DIR: directory })))
  const [oslo] = (await ask('GET', '/cities/?name=Oslo')).json().data
  ids.set(':oslo', oslo.id)
  ids.set(':norway', oslo.country.id)
  ids.set(':trip', (await ask('POST', '/trips/', { body: { title: 'Fjords' } })).json().data.id)
})

afterAll(async () => {
  await app?.close()
  rmSync(directory, { recursive: true, force: true })
})

interface Sent {
  readonly body?: unknown
  readonly payload?: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

function ask(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, { body, payload, headers }: Sent = {}) {
  const given = typeof payload === 'object' ? Buffer.from(payload) : payload
  const sent = given ?? (body === undefined ? undefined : withIds(JSON.stringify(body)))
  const { authorization = `Bearer ${tokens.admin}`, ...others } = headers ?? {}
  return app.inject({
    method,
    url: `/api${withIds(path)}`,
    ...(sent !== undefined && { payload: sent }),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(authorization !== '' && { authorization }),
      ...others,
    },
  })
}

function withIds(text: string): string {
  return [...ids].reduce((replaced, [name, id]) => replaced.replaceAll(name, id), text)
}

/** The answer without what differs from run to run. */
function withoutIds(text: string): string {
  return [...ids].reduce((replaced, [name, id]) => replaced.replaceAll(id, name), text).replaceAll(origin, '')
}

const cases = officeMistakes.map(mistake => [mistake[0], mistake] as const)

describe('each mistake with the atlas has an answer that an office worker understands', () => {
  test.each(cases)('%s', async (_, [, request, sent, ...expected]) => {
    const [method, path] = request.split(' ') as ['GET', string]
    const answer = await ask(method, path, await sent)
    const texts = said({ status: answer.statusCode, envelope: () => answer.json() }).map(withoutIds)
    expect(texts).toEqual(expected)
    for (const text of texts) expectPlain(text)
  })
})

test('there are at least 100 of them, each with its own name', () => {
  const names = officeMistakes.map(([name]) => name)
  expect(names.length).toBeGreaterThanOrEqual(100)
  expect(new Set(names).size).toBe(names.length)
})
