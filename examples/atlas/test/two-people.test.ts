import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { importForm } from '../../../packages/viewset/test/support/multipart.ts'
import { DATABASES, onDatabase } from './support/on-both-databases.ts'
import { tokens } from './support/small-atlas.ts'

type Headers = Readonly<Record<string, string>>

test.each(DATABASES)('two people and one record of the atlas on %s', name =>
  onDatabase(name, async app => {
    await changeTogether(app)
    await sendAgain(app)
    await undoAnImport(app)
    await readADeletedCity(app)
    await askWithoutAToken(app)
  }),
)

async function ask(
  app: FastifyInstance,
  method: 'GET' | 'POST' | 'PATCH',
  path: string,
  body?: object,
  more?: Headers,
) {
  const headers = { authorization: `Bearer ${tokens.admin}`, ...more }
  const response = await app.inject({ method, url: `/api${path}`, headers, ...(body && { payload: body }) })
  const { data, message, count } = response.json()
  return { status: response.statusCode, headers: response.headers, data, message, count }
}

async function changeTogether(app: FastifyInstance): Promise<void> {
  const [oslo] = (await ask(app, 'GET', '/cities/?name=Oslo')).data
  const path = `/cities/${oslo.id}/`
  const tag = { 'if-match': oslo._etag }
  expect((await ask(app, 'PATCH', path, { name: 'Kristiania' }, tag)).status).toBe(200)
  const refused = await ask(app, 'PATCH', path, { name: 'Christiania' }, tag)
  expect(refused.status).toBe(412)
  expect((await ask(app, 'PATCH', path, { name: 'Oslo' })).status).toBe(200)
  const entries = (await ask(app, 'GET', `${path}history/`)).data
  expect(entries.map(({ before, after }: Record<string, { name: string }>) => [before?.name, after?.name])).toEqual([
    ['Kristiania', 'Oslo'],
    ['Oslo', 'Kristiania'],
    [undefined, 'Oslo'],
  ])
}

async function sendAgain(app: FastifyInstance): Promise<void> {
  const [oslo] = (await ask(app, 'GET', '/cities/?name=Oslo')).data
  const key = { 'idempotency-key': 'a click' }
  const visit = { city: oslo.id, rating: 5, visited_on: '2026-01-15' }
  const first = await ask(app, 'POST', '/visits/', visit, key)
  const second = await ask(app, 'POST', '/visits/', visit, key)
  expect([first.status, second.status, second.data.id]).toEqual([201, 201, first.data.id])
  expect(second.headers['idempotency-replayed']).toBe('true')
  expect((await ask(app, 'GET', '/visits/')).count).toBe(1)
  const cities = [{ name: 'North', latitude: '70.1', longitude: '20.5', country: oslo.country.id }]
  for (let time = 0; time < 2; time++) await ask(app, 'POST', '/cities/bulk-create/', cities, key)
  expect((await ask(app, 'GET', '/cities/?name=North')).count).toBe(1)
}

async function undoAnImport(app: FastifyInstance): Promise<void> {
  const regions = async () =>
    (await ask(app, 'GET', '/regions/?ordering=code')).data.map(({ code, name }: Record<string, string>) => [
      code,
      name,
    ])
  const before = await regions()
  const form = importForm('code,name,country_code\nNO.12,Kristiania,NO\nNO.46,Vestland,NO\n')
  const headers = { ...form.headers, authorization: `Bearer ${tokens.admin}` }
  const url = '/api/regions/import-from-file/'
  const imported = (await app.inject({ method: 'POST', url, payload: form.payload, headers })).json()
  expect(await regions()).toEqual([
    ['NO.12', 'Kristiania'],
    ['NO.46', 'Vestland'],
  ])
  const { status, data } = await ask(app, 'POST', `/jobs/${imported.data.job}/undo/`)
  expect(status).toBe(202)
  let job = data
  while (job.ended_at === null) {
    await sleep(10)
    job = (await ask(app, 'GET', `/jobs/${data.id}/`)).data
  }
  expect(job).toMatchObject({ state: 'succeeded', message: '', result: { reversed: 2, kept: 0 } })
  expect(await regions()).toEqual(before)
}

async function readADeletedCity(app: FastifyInstance): Promise<void> {
  const [town] = (await ask(app, 'GET', '/cities/?name=Town%2001')).data
  const headers = { authorization: `Bearer ${tokens.admin}` }
  const url = `/api/cities/${town.id}/`
  expect((await app.inject({ method: 'DELETE', url, headers })).statusCode).toBe(204)
  expect((await app.inject(url)).statusCode).toBe(404)
  const history = await app.inject(`${url}history/`)
  expect(history.statusCode).toBe(200)
  expect(history.json().data[0]).toMatchObject({ action: 'delete', before: { name: 'Town 01' } })
}

async function askWithoutAToken(app: FastifyInstance): Promise<void> {
  const refused = await app.inject({ method: 'POST', url: '/api/cities/', payload: {} })
  expect([refused.statusCode, refused.json().message]).toEqual([
    401,
    'Authentication credentials were not provided. Send the header "Authorization: Bearer <token>".',
  ])
  const payload = { file_type: 'xlsx', for_editing: true }
  expect((await app.inject({ method: 'POST', url: '/api/cities/export/', payload })).statusCode).toBe(401)
  const root = await app.inject('/')
  expect([root.statusCode, root.headers.location, root.body]).toEqual([
    302,
    '/api/',
    'The API is at /api/, its reference page at /api/docs/.\n',
  ])
}
