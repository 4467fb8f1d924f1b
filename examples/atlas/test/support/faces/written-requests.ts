import { form, type ImportFormOptions, importForm } from '../../../../../packages/viewset/test/support/multipart.ts'
import { workbook } from '../../../../../packages/viewset/test/support/workbook.ts'
import type { AtlasCopies, KnownKeys } from './atlas-copies.ts'
import { COUNTRY, jsonRequest, type RecordedRequest, UNKNOWN_ID } from './recorded-request.ts'
import { tripRequests } from './trip-requests.ts'

const CITIES = 'name,latitude,longitude,country_code,region_code'

/** The requests that change the atlas, in this order, with records that each copy has. */
export async function writtenRequests(copies: AtlasCopies): Promise<readonly RecordedRequest[]> {
  const { known } = copies
  return [
    ...exports(),
    ...tripRequests(copies),
    ...citiesOfCountry(known),
    ...countries(known),
    ...regions(known),
    ...cities(known),
    ...visits(known),
    ...events(known),
    ...(await imports()),
    ...jobs(known),
  ]
}

function jobs({ jobs: [ended = '', waiting = '', imported = ''] }: KnownKeys): readonly RecordedRequest[] {
  const undo = { method: 'POST', path: `/jobs/${imported}/undo/`, as: 'admin' } as const
  return [
    { method: 'GET', path: `/jobs/${imported}/`, as: 'admin' },
    { ...undo, as: 'reader' },
    { ...undo, path: `/jobs/${ended}/undo/` },
    { ...undo, path: `/jobs/${waiting}/undo/` },
    { ...undo, path: `${undo.path}?dry_run=perhaps` },
    { ...undo, path: `${undo.path}?dry_run=true` },
    undo,
    // The first undo waits.
    undo,
    { method: 'GET', path: `/jobs/${imported}/`, as: 'admin' },
    { method: 'GET', path: `/jobs/${ended}/file/`, as: 'admin' },
    { method: 'GET', path: `/jobs/${waiting}/file/`, as: 'admin' },
    { method: 'POST', path: `/jobs/${ended}/cancel/`, as: 'admin' },
    { method: 'POST', path: `/jobs/${waiting}/cancel/`, as: 'reader' },
    { method: 'POST', path: `/jobs/${waiting}/cancel/`, as: 'admin' },
  ]
}

function exports(): readonly RecordedRequest[] {
  const all = ['continents', 'countries', 'regions', 'cities', 'labels', 'trips', 'visits', 'events']
  return [
    ...all.flatMap(name =>
      ['csv', 'xlsx'].map(file_type => jsonRequest('POST', `/${name}/export/`, { file_type, filename: name })),
    ),
    jsonRequest('POST', '/countries/export/', { file_type: 'pdf', title: 'Länder' }),
    jsonRequest('POST', '/cities/export/?country__code=DE&ordering=-latitude', { file_type: 'csv' }, 'reader'),
    jsonRequest('POST', '/cities/export/?nme=Oslo', { file_type: 'csv', includes: ['name', 'region__name'] }),
    jsonRequest('POST', '/cities/export/', { file_type: 'csv', filename: 'Städte "1"/2' }),
    jsonRequest('POST', '/cities/export/', { file_type: 'csv', data: [{ name: '=1+1', latitude: '1' }] }),
    jsonRequest('POST', '/cities/export/', { file_type: 'doc', includes: ['nme'] }),
  ]
}

function countries({ countries: [de = '', na = ''] }: KnownKeys): readonly RecordedRequest[] {
  const country = {
    code: 'SE',
    name: 'Sweden',
    native_name: 'Sverige',
    continent: 'EU',
    phone_prefixes: [46],
    currencies: ['SEK'],
    languages: ['sv'],
  }
  const countries = [country, { ...country, code: 'FI', name: 'Finland' }]
  return [
    jsonRequest('POST', '/countries/', country),
    jsonRequest('POST', '/countries/', country),
    jsonRequest('POST', '/countries/', { ...country, continent: 'XX', currencies: ['euro'] }),
    jsonRequest('POST', '/countries/bulk-create/', countries),
    jsonRequest('POST', '/countries/bulk-create/', [
      { ...country, code: 'DK' },
      { ...country, code: 'IS' },
    ]),
    jsonRequest('PUT', `/countries/${na}/`, { ...country, code: 'NA', name: 'Namibia', capital: 'Windhoek' }),
    jsonRequest('PATCH', `/countries/${na}/`, { capital: null, continent: 'AF' }),
    jsonRequest('PUT', '/countries/bulk-update/', [{ ...country, id: na, code: 'NA' }]),
    jsonRequest('PATCH', '/countries/bulk-update/', [
      { id: na, name: 'Namibia' },
      { id: de, capital: 'Bonn' },
    ]),
    jsonRequest('PATCH', '/countries/bulk-update/', [{ id: na }, { id: na }, { id: UNKNOWN_ID }]),
    ...deletions('countries', na, de),
    { method: 'DELETE', path: `/countries/${de}/`, as: 'admin' },
    { method: 'DELETE', path: `/countries/${na}/`, as: 'admin' },
  ]
}

/** Hides and restores one, in all ways, and tries to delete another one that others refer to. */
function deletions(resource: string, hidden: string, kept: string): readonly RecordedRequest[] {
  const restore = { method: 'POST', path: `/${resource}/${hidden}/restore/`, as: 'admin' } as const
  return [
    ...['DELETE', 'POST'].flatMap(method => [
      jsonRequest(method, `/${resource}/bulk-soft-delete/`, [hidden, UNKNOWN_ID]),
      { method: 'GET', path: `/${resource}/${hidden}/` },
      restore,
      jsonRequest(method, `/${resource}/bulk-delete/`, [UNKNOWN_ID]),
      jsonRequest(method, `/${resource}/bulk-delete/`, [kept, UNKNOWN_ID]),
    ]),
    restore,
  ]
}

function regions({ countries: [de = ''], regions: [oslo = ''] }: KnownKeys): readonly RecordedRequest[] {
  const region = { code: 'DE.01', name: 'Bavaria', country: de }
  return [
    jsonRequest('POST', '/regions/', region),
    jsonRequest('POST', '/regions/', { ...region, country: UNKNOWN_ID }),
    jsonRequest('PUT', `/regions/${oslo}/`, { ...region, code: 'NO.12' }),
    jsonRequest('PATCH', `/regions/${oslo}/`, { name: 'Oslo' }),
    { method: 'DELETE', path: `/regions/${oslo}/`, as: 'admin' },
    { method: 'DELETE', path: `/regions/${oslo}/`, as: 'admin' },
    { method: 'POST', path: `/regions/${oslo}/restore/`, as: 'admin' },
  ]
}

function cities({ countries: [de = ''], cities: [visited = '', ...others] }: KnownKeys): readonly RecordedRequest[] {
  const [first = '', second = '', third = '', fourth = ''] = others.toReversed()
  const city = { name: 'Ümeå', latitude: '63.82', longitude: '20.26', country: de }
  return [
    jsonRequest('POST', '/cities/', city),
    jsonRequest('POST', '/cities/', { ...city, latitude: 'north' }),
    jsonRequest('POST', '/cities/bulk-create/', [city, { ...city, name: 'South', latitude: '-9.5' }]),
    jsonRequest('POST', '/cities/bulk-create/', [city, { name: '' }, 5]),
    jsonRequest('PUT', `/cities/${first}/`, { ...city, region: null }),
    jsonRequest('PATCH', `/cities/${first}/`, { name: 'x'.repeat(201) }),
    jsonRequest('PATCH', `/cities/${first}/`, { longitude: '0.5' }),
    jsonRequest('PUT', '/cities/bulk-update/', [{ ...city, id: second }]),
    jsonRequest('PATCH', '/cities/bulk-update/', [{ id: second, name: 'Second' }]),
    ...deletions('cities', second, visited),
    jsonRequest('DELETE', '/cities/bulk-delete/', [second]),
    jsonRequest('POST', '/cities/bulk-delete/', [third]),
    { method: 'DELETE', path: `/cities/${fourth}/`, as: 'admin' },
    { method: 'DELETE', path: `/cities/${visited}/`, as: 'admin' },
    { method: 'GET', path: '/cities/?page=2&page_size=7&search=town&ordering=-latitude,name' },
    { method: 'GET', path: '/cities/?page=99' },
    { method: 'GET', path: '/cities/?paginated=false&nme=Oslo' },
    jsonRequest('POST', '/cities/', { name: 'x'.repeat(1024 ** 2) }),
  ]
}

/** The cities of one country. Oslo is the first city, and the eleventh is in another country. */
function citiesOfCountry({ cities }: KnownKeys): readonly RecordedRequest[] {
  const path = `/countries/${COUNTRY}/cities/`
  const [oslo = ''] = cities
  const town = cities[10] ?? ''
  const city = { name: 'Nytown', latitude: '60.00000', longitude: '10.00000' }
  const at = (id: string) => `${path}${id}/`
  return [
    { method: 'GET', path: `${path}?name=Oslo&fields=name,country.code`, as: 'admin' },
    { method: 'GET', path: '/countries/XX/cities/' },
    { method: 'GET', path: `/countries/no/cities/${oslo}/` },
    { method: 'GET', path: at(town) },
    { method: 'GET', path: at(oslo) },
    { method: 'GET', path: `${at(oslo)}?expand=country,region` },
    jsonRequest('POST', path, city),
    jsonRequest('POST', path, { ...city, country: UNKNOWN_ID }),
    jsonRequest('POST', path, { ...city, latitude: 'north' }),
    jsonRequest('POST', '/countries/XX/cities/', city),
    jsonRequest('PUT', at(oslo), { ...city, name: 'Oslo' }),
    jsonRequest('PUT', at(town), city),
    jsonRequest('PATCH', at(oslo), { latitude: '59.91273' }),
    jsonRequest('PATCH', at(oslo), { latitude: '59.9' }, 'admin', { 'if-match': '"1"' }),
    { method: 'DELETE', path: at(oslo), as: 'admin' },
    { method: 'DELETE', path: at(town), as: 'admin' },
    { method: 'DELETE', path: `/countries/DE/cities/${town}/`, as: 'admin' },
    jsonRequest('POST', `${path}export/`, { file_type: 'csv', includes: ['name', 'latitude'] }),
    jsonRequest('POST', `${path}export/`, { file_type: 'xlsx' }),
  ]
}

function visits({
  cities: [city = ''],
  visits: [visit = '', other = ''],
  labelIds,
}: KnownKeys): readonly RecordedRequest[] {
  const body = { city, rating: 5, visited_on: '2026-02-01' }
  return [
    jsonRequest('POST', '/visits/', body),
    jsonRequest('POST', '/visits/', { ...body, labels: labelIds }),
    jsonRequest('POST', '/visits/', { ...body, labels: [UNKNOWN_ID] }),
    jsonRequest('POST', '/visits/', { ...body, rating: 6, visited_on: '2026-02-30' }),
    jsonRequest('PUT', `/visits/${visit}/`, body),
    jsonRequest('PATCH', `/visits/${visit}/`, { note: 'Noch einmal! 🏔' }),
    { method: 'DELETE', path: `/visits/${other}/`, as: 'admin' },
    { method: 'GET', path: `/visits/${other}/`, as: 'admin' },
    { method: 'POST', path: `/visits/${other}/restore/`, as: 'admin' },
  ]
}

function events({ cities: [city = ''] }: KnownKeys): readonly RecordedRequest[] {
  const event = { name: 'Match', kind: 'match', happened_at: '2026-03-01T12:00:00+02:00', city }
  return [
    jsonRequest('POST', '/events/bulk-create/', [event, { ...event, happened_at: '2026-03-02T08:30' }]),
    jsonRequest('POST', '/events/bulk-create/', [{ ...event, kind: 'war' }]),
    { method: 'GET', path: '/events/?page_size=2&city__country__code=DE&kind__in=market,concert' },
  ]
}

async function imports(): Promise<readonly RecordedRequest[]> {
  const sent = (resource: string, content: string | Uint8Array, options?: ImportFormOptions): RecordedRequest => {
    const { payload, headers } = importForm(content, options)
    return { method: 'POST', path: `/${resource}/import-from-file/`, as: 'admin', headers, payload }
  }
  const good = `${CITIES}\nStorgata,59.91,10.75,NO,NO.12\n`
  const failing = `${good}Nirgendwo,90 Grad,10.7,NO,NO.99\n`
  const countries = [
    'code',
    'name',
    'native_name',
    'capital',
    'continent_code',
    'phone_prefixes',
    'currencies',
    'languages',
  ]
  const geography = await workbook({
    countries: [countries, ['DK', 'Denmark', 'Danmark', 'Copenhagen', 'EU', '[45]', '["DKK"]', '["da"]']],
    regions: [
      ['code', 'name', 'country_code'],
      ['DK.17', 'Capital Region', 'DK'],
    ],
    cities: [CITIES.split(','), ['Copenhagen', 55.67594, 12.56553, 'DK', 'DK.17']],
  })
  const towns = Array.from({ length: 1_500 }, (_, i) => `Place ${i},${i % 90},10.7,NO,NO.12\n`)
  const withoutFile = form({ name: 'append_data', value: 'true' })
  return [
    sent('cities', failing, { dryRun: true }),
    sent('cities', failing),
    sent('cities', good),
    sent('cities', await workbook({ cities: [CITIES.split(','), ['Bogstad', 59.9, 10.6, 'NO', null]] })),
    { ...sent('cities', failing), path: '/cities/import-from-file/?background=true' },
    ...['cities', 'countries', 'regions', 'geography'].map(resource => ({
      ...sent(resource, geography),
      path: `/${resource}/import-preview/`,
    })),
    jsonRequest('POST', '/cities/export/?background=true', { file_type: 'xlsx' }),
    sent('cities', 'name\nx\n'),
    sent('cities', ''),
    sent('cities', good, { append: false }),
    sent('cities', [CITIES, '\n', ...towns].join('')),
    { method: 'POST', path: '/cities/import-from-file/', as: 'admin', ...withoutFile },
    sent('countries', `${countries}\nIS,Iceland,Ísland,Reykjavík,EU,354,ISK,is\n`),
    sent('regions', 'code,name,country_code\nIS.39,Capital Region,IS\nXX.1,Nowhere,XX\n'),
    sent('geography', geography),
    sent('geography', failing),
    jsonRequest('POST', '/cities/export/?ordering=name,latitude&name__istartswith=place', {
      file_type: 'csv',
      includes: ['name', 'latitude', 'region__code'],
    }),
    { method: 'GET', path: '/countries/?ordering=-city_count,code' },
  ]
}
