import type { Download } from 'viewset/client'
import { expect } from 'vitest'
import type { ClientModule } from '../../../../packages/viewset/test/support/client-page.ts'
import type { resources } from '../../src/resources.ts'

/**
 * What the README does with curl, and the atlas's own page with a visit, done with `viewset/client`. A browser is sent
 * the text of this function, so it uses nothing from outside of it.
 */
export async function walkThrough(
  { createClient, ClientError }: ClientModule,
  { baseUrl, token }: { readonly baseUrl: string; readonly token: string },
) {
  type Atlas = ReturnType<typeof resources>
  const visitor = createClient<Atlas>({ baseUrl })
  const admin = createClient<Atlas>({ baseUrl, token })
  const refusal = (call: Promise<unknown>) =>
    call.then(
      () => 'nothing was refused',
      error => (error instanceof ClientError ? [error.status, error.message, error.errors] : String(error)),
    )
  const namesOf = (records: readonly { readonly name: string }[]) => records.map(({ name }) => name)
  const start = async (file: Download) => [file.filename, file.type, (await file.text()).slice(0, 4)]

  const countries = await visitor.countries.list({ ordering: '-name', page_size: 3 })
  const cities = await visitor.cities.list({ page: 2, page_size: 20, ordering: 'name' })
  const lists = {
    continents: namesOf((await visitor.continents.list()).items),
    countries: countries.items.map(({ name, continent, city_count }) => [name, continent.name, city_count]),
    cities: { count: cities.count, next: cities.next, names: namesOf(cities.items), index: cities.items[0]?.index },
    // @ts-expect-error: no field is called so.
    misspelt: await refusal(visitor.cities.list({ ordering: 'nme' })),
    // @ts-expect-error: more fields are required.
    nobody: await refusal(visitor.visits.create({ rating: 5 })),
    // @ts-expect-error: as above.
    incomplete: await refusal(admin.visits.create({ rating: 5 })),
  }

  const csv = await visitor.countries.export({ file_type: 'csv', filename: 'countries' })
  const exports = {
    csv: [csv.filename, csv.type, await csv.text()],
    xlsx: await start(await visitor.countries.export({ file_type: 'xlsx', filename: 'countries' })),
    pdf: await start(
      await visitor.countries.export(
        {
          file_type: 'pdf',
          filename: 'europe',
          title: 'Europe',
          includes: ['code', 'name', 'native_name', 'capital'],
        },
        { continent__name: 'Europe', ordering: 'native_name' },
      ),
    ),
  }

  const template = await visitor.cities.importTemplate({ file_type: 'csv' })
  const lines = [await template.text(), 'Storgata,59.91,10.75,NO,NO.12\n', 'Nirgendwo,90 Grad,10.7,NO,NO.99\n']
  const file = new File(lines, template.filename)
  const imports = {
    template: lines[0],
    workbook: await start(await visitor.geography.importTemplate()),
    forAdmins: await refusal(visitor.cities.importFile(file, { append_data: true })),
    tried: await admin.cities.importFile(file, { append_data: true, dry_run: true }),
    afterTrying: (await visitor.cities.list({ name: 'Storgata' })).count,
    made: await admin.cities.importFile(file, { append_data: true }).then(({ job: _, ...result }) => result),
    afterMaking: (await visitor.cities.list({ name: 'Storgata', region__code: 'NO.12' })).count,
  }

  const [oslo] = (await visitor.cities.list({ name: 'Oslo', page_size: 1 })).items
  const visit = await admin.visits.create({ city: oslo?.id ?? '', rating: 5, visited_on: '2026-01-15' })
  const changed = await admin.visits.partialUpdate(visit.id, { note: 'Again!' })
  const ofNobody = await refusal(visitor.visits.retrieve(visit.id))
  const destroyed = await admin.visits.destroy(visit.id)
  const visits = {
    created: [visit.city.name, visit.city.country.code, visit.rating, visit.visited_on, visit.note],
    changed: changed.note,
    ofNobody,
    destroyed,
    gone: await refusal(admin.visits.retrieve(visit.id)),
    restored: await admin.visits.restore(visit.id),
    again: (await admin.visits.retrieve(visit.id)).note,
  }

  const country = oslo?.country.id ?? ''
  const made = await admin.cities.bulkCreate([
    { name: 'North', latitude: '70.1', longitude: '20.5', country },
    { name: 'South', latitude: '58.1', longitude: '7.5', country },
  ])
  const ids = made.map(({ id }) => id)
  const patched = await admin.cities.bulkPartialUpdate(ids.map(id => ({ id, region: oslo?.region?.id ?? null })))
  const softDeleted = await admin.cities.bulkSoftDelete(ids)
  const whileDeleted = (await visitor.cities.list({ name__istartswith: 'south' })).count
  await Promise.all(ids.map(id => admin.cities.restore(id)))
  const whenRestored = (await visitor.cities.list({ name__istartswith: 'south' })).count
  const deleted = await admin.cities.bulkDelete(ids)
  await admin.events.bulkCreate(
    ['Market', 'Match', 'Concert'].map((name, day) => ({
      name,
      kind: 'other' as const,
      happened_at: `2026-01-0${day + 1}T12:00:00Z`,
      city: oslo?.id ?? '',
    })),
  )
  const events: string[] = []
  for await (const { name } of visitor.events.all({ page_size: 2 })) events.push(name)
  const bulk = {
    made: made.map(({ name, latitude }) => [name, latitude]),
    patched: patched.map(({ region }) => region?.code),
    counts: [softDeleted.count, whileDeleted, whenRestored, deleted.count],
    events,
  }

  return { lists, exports, imports, visits, bulk }
}

const unauthenticated = [
  401,
  'Authentication credentials were not provided. Send the header "Authorization: Bearer <token>".',
  {},
]
const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'
const KNOWN = 'name, latitude, longitude, country__name, region__name, created_at, updated_at'
const importResult = {
  success: false,
  processed: 3,
  failed: 1,
  created: 1,
  updated: 1,
  errors: [
    {
      row: 4,
      field: 'latitude',
      column: 'Latitude',
      message: '"90 Grad" is not a number. Write it like 90.5.',
      model: 'cities',
    },
    {
      row: 4,
      field: 'region_code',
      column: 'Region code',
      message: 'There is no region with the code "NO.99".',
      model: 'cities',
    },
  ],
  ignored_columns: [],
  error_groups: [
    {
      code: 'invalid_number',
      field: 'latitude',
      column: 'Latitude',
      message: '"90 Grad" is not a number. Write it like 90.5.',
      model: 'cities',
      count: 1,
      rows: '4',
      examples: ['90 Grad'],
    },
    {
      code: 'does_not_exist',
      field: 'region_code',
      column: 'Region code',
      message: 'There is no region with the code "NO.99".',
      model: 'cities',
      count: 1,
      rows: '4',
      examples: ['NO.99'],
    },
  ],
}

/** What the walk sees in a small atlas, wherever the client runs. */
export const walked = {
  lists: {
    continents: ['Africa', 'Europe'],
    countries: [
      ['Norway', 'Europe', 1],
      ['Namibia', 'Africa', 0],
      ['Germany', 'Europe', 24],
    ],
    cities: { count: 25, next: null, names: ['Town 20', 'Town 21', 'Town 22', 'Town 23', 'Town 24'], index: 21 },
    misspelt: [
      400,
      `You cannot order by "nme". Known fields: ${KNOWN}.`,
      { ordering: [`You cannot order by "nme". Known fields: ${KNOWN}.`] },
    ],
    nobody: unauthenticated,
    incomplete: [
      400,
      'The request has 2 errors. "errors" lists them.',
      { city: ['This field is required.'], visited_on: ['This field is required.'] },
    ],
  },
  exports: {
    csv: [
      'countries.csv',
      'text/csv; charset=utf-8',
      [
        'Code,Name,Native name,Capital,Continent code,Continent,Phone prefixes,Currencies,Languages',
        'DE,Germany,Deutschland,Berlin,EU,Europe,49,EUR,de',
        'NA,Namibia,Namibia,Windhoek,AF,Africa,264,"NAD, ZAR","en, af"',
        'NO,Norway,Norge,Oslo,EU,Europe,47,NOK,"no, nb, nn"',
        '',
      ].join('\r\n'),
    ],
    xlsx: ['countries.xlsx', XLSX, 'PK\x03\x04'],
    pdf: ['europe.pdf', 'application/pdf', '%PDF'],
  },
  imports: {
    template: 'Name,Latitude,Longitude,Country code,Region code\r\nOslo,59.91273,10.74609,NO,NO.12\r\n',
    workbook: ['geography_template.xlsx', XLSX, 'PK\x03\x04'],
    forAdmins: unauthenticated,
    tried: {
      ...importResult,
      dry_run: true,
      unmatched: { 'Region code': [{ text: 'NO.99', count: 1, suggestions: [] }] },
    },
    afterTrying: 0,
    made: importResult,
    afterMaking: 1,
  },
  visits: {
    created: ['Oslo', 'NO', 5, '2026-01-15', null],
    changed: 'Again!',
    ofNobody: unauthenticated,
    destroyed: undefined,
    gone: [404, 'There is no such record, or you may not see it.', {}],
    restored: expect.objectContaining({ note: 'Again!', rating: 5 }),
    again: 'Again!',
  },
  bulk: {
    made: [
      ['North', '70.10000'],
      ['South', '58.10000'],
    ],
    patched: ['NO.12', 'NO.12'],
    counts: [2, 0, 1, 2],
    events: ['Concert', 'Match', 'Market'],
  },
}
