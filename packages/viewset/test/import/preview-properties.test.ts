import fc from 'fast-check'
import { type ImportFileConfig, ImportService, type PreviewSheet } from 'viewset'
import { kit } from 'viewset/sqlite'
import { expect, test } from 'vitest'
import { cases } from '../support/cases.ts'
import { atlasModels, geography } from '../support/import-models.ts'
import { csv } from '../support/imports.ts'

const config: ImportFileConfig = {
  fileFormat: 'csv',
  order: ['countries', 'regions', 'cities'],
  models: atlasModels(geography(kit)),
  headers: { 'Country code': 'iso2', 'Federal state': ['regions.name', 'district'], Inhabitants: 'population' },
}
const service = new ImportService(config)

/** What the columns of a file may be called, by what they feed. */
const HEADERS: readonly (readonly [names: readonly string[], field: string | readonly string[]])[] = [
  [['Country code', 'iso2'], 'iso2'],
  [['countries.name'], 'countries.name'],
  [['Federal state'], ['regions.name', 'district']],
  [['cities.name'], 'cities.name'],
  [['mayor'], 'mayor'],
  [['plate'], 'plate'],
  [['Inhabitants', 'population'], 'population'],
  [['area'], 'area'],
  [['kind'], 'kind'],
]
const STRANGERS = ['Remarks', 'Xyzzy', 'Last changed', '2019', '']

const words = (name: string) => name.split(/[\s_.-]+/)
/** Ways in which people write a name. */
const recased = (name: string) =>
  fc.constantFrom(
    name,
    name.toUpperCase(),
    ` ${name.toLowerCase()} `,
    words(name).join('_'),
    words(name).join('-'),
    words(name).join(' '),
    words(name)
      .map(word => word.slice(0, 1).toUpperCase() + word.slice(1))
      .join(''),
  )
/** With a letter too many, too few or swapped: too much for short names, where it could be another one. */
const misspelt = (name: string) =>
  fc
    .record({
      at: fc.integer({ min: 1, max: name.length - 2 }),
      how: fc.constantFrom('more', 'less', 'swapped', 'none'),
    })
    .map(({ at, how }) => {
      const [before, letter, after] = [name.slice(0, at), name.slice(at, at + 1), name.slice(at + 1)]
      if (name.length < 6 || how === 'none' || /[\d. _-]/.test(letter + after.slice(0, 1))) return name
      if (how === 'more') return `${before}${letter}${letter}${after}`
      return how === 'less' ? before + after : before + after.slice(0, 1) + letter + after.slice(1)
    })

const column = (index: number) => {
  const [names, field] = HEADERS[index] as (typeof HEADERS)[number]
  return fc
    .constantFrom(...names)
    .chain(misspelt)
    .chain(recased)
    .map(header => ({ header, field: field as string | readonly string[] | null }))
}
const columns = fc
  .record({
    known: fc.shuffledSubarray(HEADERS.map((_, index) => index)).chain(list => fc.tuple(...list.map(column))),
    strangers: fc.subarray(STRANGERS),
  })
  .map(({ known, strangers }) => [...known, ...strangers.map(header => ({ header, field: null }))])
  .filter(list => list.length > 0)
  .chain(list => fc.shuffledSubarray(list, { minLength: list.length }))

test('a suggested mapping leads each column home, however it is spelt, and no two to one field', async () => {
  await fc.assert(
    fc.asyncProperty(columns, async list => {
      const { sheets } = await service.preview(
        csv(
          list.map(({ header }) => header),
          list.map((_, at) => String(at)),
        ),
      )
      const { headers, missing } = sheets[0] as PreviewSheet
      expect(headers.map(({ field }) => field)).toEqual(list.map(({ field }) => field))
      const fields = headers.flatMap(({ field }) => field ?? [])
      expect(new Set(fields).size).toBe(fields.length)
      const all = HEADERS.flatMap(([, field]) => field)
      expect([...fields, ...missing.map(({ field }) => field)].toSorted()).toEqual(all.toSorted())
    }),
    { numRuns: cases(300) },
  )
})

test('a row that fits the mapping is the header, though another one names more fields', async () => {
  const names = ['iso2', 'poopulation', 'Country code', 'Innhabitants', 'Country code']
  const file = csv(['first', ...names], ['x', ...names])
  const mapping = Object.fromEntries(['first', ...names].map(header => [header, null]))
  const { sheets } = await service.preview(file, { mapping })
  expect(sheets[0]?.headers.map(({ header }) => header)).toEqual(['first', ...names])
})

const letters = fc.string({ unit: fc.constantFrom(...'aeimnprst2 _'), maxLength: 8 })
const anyHeader = fc.oneof(letters, fc.constantFrom(...HEADERS.flatMap(([names]) => names)).chain(misspelt))

test('whatever a file calls its columns: no two feed one field, and the mapping is taken as it was suggested', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyHeader, { minLength: 1, maxLength: 12 }), async names => {
      // A file of blank headers has none.
      const file = csv(['first', ...names], ['x', ...names])
      const { sheets } = await service.preview(file)
      const { headers } = sheets[0] as PreviewSheet
      const fields = headers.flatMap(({ field }) => field ?? [])
      expect(new Set(fields).size).toBe(fields.length)
      const mapping = Object.fromEntries(headers.map(({ header, field }) => [header, field]))
      const again = await service.preview(file, { mapping })
      expect(again.sheets[0]?.headers.map(({ field }) => field)).toEqual(headers.map(({ field }) => field))
    }),
    { numRuns: cases(300) },
  )
})
