// Asks the atlas by openapi-fetch; `npm run types` writes ./api.ts from the atlas's document.
import createClient from 'openapi-fetch'
import type { paths } from './api.ts'

const { ATLAS_URL = 'http://127.0.0.1:3000/api', ATLAS_ADMIN_TOKEN } = process.env
const atlas = createClient<paths>({
  baseUrl: ATLAS_URL,
  headers: { authorization: `Bearer ${ATLAS_ADMIN_TOKEN}` },
  // Lists in a query have commas between their values. The document says so, but types cannot.
  querySerializer: { array: { style: 'form', explode: false } },
})

const page = await atlas.GET('/cities/', { params: { query: { page_size: 2, ordering: ['country__name', '-name'] } } })
// Without pages there would be no count, which the types know.
if (!page.data || !('count' in page.data)) throw new Error(page.error?.message)
console.log(`list: ${page.data.data.length} of ${page.data.count}`)

const filtered = await atlas.GET('/cities/', { params: { query: { name: 'Oslo', country__code__in: ['NO', 'NA'] } } })
const city = filtered.data?.data[0]
if (!city?.id || !city.country) throw new Error('There is no Oslo.')
console.log(`filter: ${city.name} in ${city.country.name}, ${city.region?.name ?? 'in no region'}`)

const { data: created } = await atlas.POST('/visits/', {
  body: { city: city.id, rating: 5, visited_on: '2026-01-15' },
})
if (!created) throw new Error('The visit was refused.')
const params = { path: { id: created.data.id } }
console.log(`create: ${created.data.city.name}, ${created.data.rating}`)

const { data: patched } = await atlas.PATCH('/visits/{id}/', { params, body: { note: 'Again!' } })
console.log(`patch: ${patched?.data.note}`)

const { response } = await atlas.DELETE('/visits/{id}/', { params })
console.log(`destroy: ${response.status}`)

const gone = await atlas.GET('/visits/{id}/', { params })
console.log(`retrieve: ${gone.response.status} ${gone.error?.message}`)

const { error } = await atlas.POST('/visits/', {
  body: { city: '00000000-0000-4000-8000-000000000000', rating: 5, visited_on: '2026-01-15' },
})
if (error && 'errors' in error) console.log(`error: ${error.message} city: ${error.errors.city}`)

const file = await atlas.POST('/cities/export/', {
  params: { query: { name: 'Oslo' } },
  body: { file_type: 'csv', includes: ['name', 'country__code'] },
  parseAs: 'text',
})
// It would be a job, had the file been asked for in the background.
if (typeof file.data === 'string') console.log(`export: ${file.data.trim().split('\r\n').join(' / ')}`)

const rows = 'name,latitude,longitude,country_code,region_code\nStorgata,59.91,10.75,NO,NO.12\n'
const imported = await atlas.POST('/cities/import-from-file/', {
  // What a program sends as a file is a text to the types; the serializer makes the form of it.
  body: { file: rows, append_data: true, dry_run: true },
  bodySerializer: ({ file, ...fields }) => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, String(value))
    form.append('file', new File([file], 'cities.csv'))
    return form
  },
})
const { data: answer } = imported
// A job, or a file of the rows that failed, comes only to who asks for it.
if (typeof answer === 'object' && 'created' in answer.data) {
  console.log(`import: ${answer.data.created} would be created`)
}

// What the types refuse. These calls are never made.
export const refused = [
  // @ts-expect-error: there is no such field to order by.
  () => atlas.GET('/cities/', { params: { query: { ordering: ['nme'] } } }),
  // @ts-expect-error: nor such a filter.
  () => atlas.GET('/cities/', { params: { query: { nme: 'Oslo' } } }),
  // @ts-expect-error: a visit needs its city and its date.
  () => atlas.POST('/visits/', { body: { rating: 5 } }),
  // @ts-expect-error: nobody changes an event.
  () => atlas.PATCH('/events/{id}/', { params, body: {} }),
]
