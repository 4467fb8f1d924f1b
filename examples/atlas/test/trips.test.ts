import type { FastifyInstance } from 'fastify'
import { expect, test } from 'vitest'
import { DATABASES, onDatabase } from './support/on-both-databases.ts'
import { tokens } from './support/small-atlas.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Ask = ReturnType<typeof askOf>

test.each(DATABASES)('labels and trips of the atlas on %s', name =>
  onDatabase(name, async app => {
    const ask = askOf(app)
    const label = await useLabels(ask)
    await planATrip(ask, label)
    await askForCities(ask)
  }),
)

function askOf(app: FastifyInstance) {
  return async (method: Method, path: string, body?: object, headers = {}, as: keyof typeof tokens = 'admin') => {
    const response = await app.inject({
      method,
      url: `/api${path}`,
      headers: { authorization: `Bearer ${tokens[as]}`, ...headers },
      ...(body && { payload: body }),
    })
    const { data, errors } = response.body === '' ? {} : response.json()
    return { status: response.statusCode, etag: String(response.headers.etag), data, errors }
  }
}

async function useLabels(ask: Ask): Promise<string> {
  const { data } = await ask('POST', '/labels/', { name: 'By Train' })
  expect(data).toMatchObject({ name: 'By Train', slug: 'by-train' })
  expect((await ask('GET', '/labels/by-train/', undefined, {}, 'reader')).data.id).toBe(data.id)
  expect((await ask('POST', '/labels/', { name: 'by train' })).errors?.slug).toHaveLength(1)
  expect((await ask('DELETE', '/labels/by-train/')).status).toBe(204)
  expect((await ask('GET', '/labels/by-train/')).status).toBe(404)
  const other = await ask('POST', '/labels/', { name: 'By train' })
  expect(other.status).toBe(201)
  // The first label cannot come back while another one has its slug.
  expect((await ask('POST', `/labels/${data.id}/restore/`)).status).toBe(409)
  expect((await ask('PATCH', '/labels/by-train/', { slug: 'rail' })).data.slug).toBe('rail')
  expect((await ask('POST', `/labels/${data.id}/restore/`)).status).toBe(200)
  return other.data.id
}

async function planATrip(ask: Ask, label: string): Promise<void> {
  const [oslo, andorra] = [
    (await ask('GET', '/cities/?name=Oslo')).data[0],
    (await ask('GET', '/cities/?country__code__ne=NO')).data[0],
  ]
  const created = await ask('POST', '/trips/', {
    title: 'North',
    starts_on: '2026-12-01',
    stops: [
      { city: andorra.id, position: 2, nights: 3 },
      { city: oslo.id, position: 1, note: 'Start' },
    ],
    labels: [label],
  })
  expect(created.data).toMatchObject({
    status: 'planned',
    stops: [
      { position: 1, nights: 1, note: 'Start', city: { name: 'Oslo', country: { code: 'NO' } } },
      { position: 2, nights: 3 },
    ],
    labels: [{ id: label, name: 'By train', slug: 'rail' }],
  })
  const path = `/trips/${created.data.id}/`
  expect((await ask('GET', path, undefined, {}, 'reader')).status).toBe(404)

  // A change names the version that it read.
  const [first, second] = created.data.stops
  const swap = {
    stops: [
      { id: first.id, position: 2 },
      { id: second.id, position: 1 },
    ],
  }
  expect((await ask('PATCH', path, swap)).status).toBe(428)
  const swapped = await ask('PATCH', path, swap, { 'if-match': created.etag })
  expect(swapped.data.stops.map(({ id }: { id: string }) => id)).toEqual([second.id, first.id])
  expect((await ask('PATCH', path, swap, { 'if-match': created.etag })).status).toBe(412)

  const wrong = await ask('PATCH', path, { ends_on: '2026-11-01' }, { 'if-match': swapped.etag })
  expect(wrong.errors?.ends_on).toEqual(['A trip ends after its start.'])
  const bad = {
    stops: [
      { city: oslo.id, position: 3 },
      { city: oslo.id, position: 3, nights: -1 },
    ],
  }
  expect((await ask('PATCH', path, bad, { 'if-match': swapped.etag })).errors).toHaveProperty(['stops.1.nights'])

  // Both filters ask for one that fits.
  const count = async (query: string) => (await ask('GET', `/trips/?${query}`)).data.length
  expect(await count('stops__city__country__code=NO')).toBe(1)
  expect(await count('stops__city__country__code__ne=NO')).toBe(0)
  expect(await count('labels__slug=rail&status__not_in=done')).toBe(1)
  expect(await count('or=(labels__slug=none,and(status=planned,starts_on__year=2026))')).toBe(1)

  // A city with stops stays.
  expect((await ask('DELETE', `/cities/${oslo.id}/`)).status).toBe(409)

  // The history reverts the trip's own fields, and shows those of its stops.
  const renamed = await ask('PATCH', path, { title: 'South' }, { 'if-match': swapped.etag })
  const entries = (await ask('GET', `${path}history/`)).data
  expect(entries.map(({ path }: { path: string | null }) => path)).toContain(`stops.${first.id}`)
  const start = entries.at(-1)
  expect(start).toMatchObject({ action: 'create', after: { title: 'North' } })
  const reverted = await ask(
    'POST',
    `${path}revert/`,
    { entry: start.id, fields: ['title'] },
    { 'if-match': renamed.etag },
  )
  expect(reverted.data).toMatchObject({ title: 'North', stops: [{}, {}] })

  const put = { title: 'North', stops: [{ id: first.id, city: oslo.id, position: 1 }], labels: [] }
  const replaced = await ask('PUT', path, put, { 'if-match': reverted.etag })
  expect(replaced.data).toMatchObject({ stops: [{ id: first.id }], labels: [] })
  expect((await ask('DELETE', path, undefined, { 'if-match': replaced.etag })).status).toBe(204)
  expect((await ask('GET', path)).status).toBe(404)
}

async function askForCities(ask: Ask): Promise<void> {
  const [narrow] = (await ask('GET', '/cities/?name=Oslo&fields=name,country.code')).data
  expect(narrow).toMatchObject({ name: 'Oslo', country: { code: 'NO' } })
  expect(narrow).not.toHaveProperty('latitude')
  const [wide] = (await ask('GET', '/cities/?name=Oslo&expand=region,country')).data
  expect(wide.country).toMatchObject({ code: 'NO', capital: 'Oslo', continent: { code: 'EU' } })
  const nested = await ask('GET', '/countries/NO/cities/?name=Oslo')
  expect(nested.data).toHaveLength(1)
  expect((await ask('GET', '/countries/XX/cities/')).status).toBe(404)
  const city = { name: 'Nytown', latitude: '60.00000', longitude: '10.00000' }
  expect((await ask('POST', '/countries/NO/cities/', city)).data.country.code).toBe('NO')
  const some = await ask('GET', '/countries/?or=(code=NO,capital__isnull=true)&code__not_in=SE')
  expect(some.data.map(({ code }: { code: string }) => code)).toContain('NO')
}
