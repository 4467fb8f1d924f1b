import fc from 'fast-check'
import {
  currentDb,
  type Database,
  type ImportFileConfig,
  type ImportProblemGroup,
  type ImportResult,
  type PrepareRow,
  skipRow,
} from 'viewset'
import { expect } from 'vitest'
import type { AnyGeography } from './import-models.ts'
import {
  type City,
  importRow,
  LABELS,
  type OraclePolicies,
  type OracleRow,
  type Outcome,
  World,
} from './import-oracle.ts'
import { RESERVED, scenario, withPolicies } from './import-scenario.ts'
import { csv, type ImportFixture, importOnce } from './imports.ts'

const PEOPLE = ['Ann', 'Ben', 'Cleo', 'Cleo']

/** The columns that a file has whatever the policies are. */
export const HEADER = [
  'iso2',
  'countries.name',
  'regions.name',
  'district',
  'cities.name',
  'mayor',
  'plate',
  'population',
  'area',
  'kind',
]

/** Rules that no model tells of: no city has 666 people, and only one country has a region West. */
export function rulesOfDatabase(dialect: 'pg' | 'sqlite'): readonly string[] {
  const oneWest = `create unique index one_west on regions (name) where name = 'West'`
  if (dialect === 'sqlite') {
    const triggers = ['insert', 'update'].map(
      event =>
        `create trigger refuse_${event} before ${event} on cities when new.population = 666 begin select raise(abort, 'secret'); end`,
    )
    return [oneWest, ...triggers]
  }
  return [
    oneWest,
    `create function refuse() returns trigger language plpgsql as $$ begin if new.population = 666 then raise exception 'secret'; end if; return new; end $$`,
    'create trigger refuse before insert or update on cities for each row execute function refuse()',
  ]
}

/** Row hooks that let rows pass as they are, but for one that leaves some out. */
const HOOKS = {
  passing: row => row,
  waiting: async row => ({ ...row }),
  skipping: row => (row.district === 'Old' ? skipRow : row),
} satisfies Record<string, PrepareRow>
const someHook = fc.constantFrom(undefined, undefined, 'passing' as const, 'waiting' as const, 'skipping' as const)

/** Imports random files and holds report and database against what an import of row after row makes of them. */
export async function checkRandomImports(db: ImportFixture, tables: AnyGeography, numRuns: number): Promise<void> {
  const property = fc.asyncProperty(scenario, someHook, async (drawn, hook) => {
    const { cities, rows, chunkSize, mode, diff, policies } = drawn
    await db.clear()
    const world = await store(db.database, tables, cities)
    const config: ImportFileConfig = {
      fileFormat: 'csv',
      order: ['countries', 'regions', 'cities'],
      models: withPolicies(tables, policies),
      ...(chunkSize !== undefined && { chunkSize }),
      ...(hook && { prepareRow: HOOKS[hook] }),
    }
    const file = fileOf(rows, policies)
    const isReplace = mode === 'replace'
    const start = isReplace ? emptied(world) : world
    const isLeftOut = ({ district }: OracleRow) => hook === 'skipping' && district === 'Old'
    const left = rows.filter(row => !isLeftOut(row))
    const { after, outcomes: ofLeft, totals } = importAll(start, left, policies)
    const outcomes = rows.map(row => (isLeftOut(row) ? 'skipped' : ofLeft[left.indexOf(row)]!))
    const running = importOnce(config, file, {
      database: db.database,
      append: !isReplace,
      dryRun: mode === 'dry run',
      diff,
    })
    if (isReplace && outcomes.every(outcome => outcome === 'skipped')) {
      await expect(running).rejects.toThrow(
        'All rows that would replace something were skipped, so nothing was replaced.',
      )
      expect(await stored(db)).toEqual(plain(world))
      return
    }
    const { warned: _, warnings = [], warningGroups = [], ...result } = await running
    expect(warningGroups.map(({ code }) => code).filter(code => code !== 'later_row')).toEqual([])
    for (const { row } of warnings) {
      const at = Number(row) - 2
      expect(rows.slice(0, at).some(earlier => sharesKey(earlier, rows[at] as OracleRow))).toBe(true)
    }
    const failed = outcomes.filter(outcome => typeof outcome !== 'string').length
    const isUndone = isReplace && failed > 0
    const all = (which: Outcome) => outcomes.filter(outcome => outcome === which).length
    const count = (which: Outcome) => (isUndone ? 0 : all(which))
    const used = [policies.countries, policies.regions, policies.cities]
    const skips = used.some(({ onExisting, onMissing }) => [onExisting, onMissing].includes('skip'))
    expect(result).toEqual({
      success: failed === 0,
      processed: rows.length,
      failed,
      errors: expect.any(Array),
      created: count('created'),
      updated: count('updated'),
      ...(used.some(({ skipUnchanged }) => skipUnchanged) && { unchanged: count('unchanged') }),
      ...((hook || skips || policies.hasDeletions) && { skipped: all('skipped') }),
      ignoredColumns: [],
      ...((isReplace || policies.hasDeletions) && {
        deleted: (isReplace && !isUndone ? world.cities.length : 0) + count('deleted'),
      }),
      ...(diff && { diff: expect.objectContaining({ totals: isUndone ? NO_TOTALS : totals }) }),
      ...(mode === 'dry run' && { dryRun: true }),
      ...(mode === 'dry run' && failed > 0 && result.unmatched && { unmatched: expect.any(Object) }),
      ...(isUndone && { rolledBack: true }),
      ...(failed > 0 && { errorGroups: expect.any(Array) }),
    })
    expect(groupedRows(result.errorGroups)).toEqual(groupedRows(groupsOf(result.errors)))
    const fields = result.errors.map(({ row, field }) => [row, field])
    expect(new Set(fields.map(String))).toEqual(
      new Set(
        outcomes.flatMap((outcome, at) => (typeof outcome === 'string' ? [] : outcome.map(f => `${at + 2},${f}`))),
      ),
    )
    expect(JSON.stringify(result)).not.toContain('secret')
    expect(await stored(db)).toEqual(plain(mode === 'dry run' || isUndone ? world : after))
  })
  await fc.assert(property, { numRuns })
}

/** Whether two rows may be about one record, which a warning of a later row needs. */
function sharesKey(one: OracleRow, other: OracleRow): boolean {
  const keys = ({ iso2, region, city }: OracleRow) => [iso2, region, city].map(key => String(key).toLowerCase())
  return keys(one).some((key, at) => key === keys(other)[at])
}

/** The rows as a file that is uploaded. */
export function fileOf(
  rows: readonly OracleRow[],
  { hasLinks, hasDeletions }: Pick<OraclePolicies, 'hasLinks' | 'hasDeletions'>,
): Buffer {
  return csv(
    [...HEADER, ...(hasLinks ? ['labels'] : []), ...(hasDeletions ? ['gone'] : [])],
    ...rows.map(r => [
      ...[r.iso2, r.country, r.region, r.district, r.city, r.mayor, r.plate, r.population, null, null],
      ...(hasLinks ? [r.labels] : []),
      ...(hasDeletions ? [r.isGone ? 'X' : null] : []),
    ]),
  )
}

const NO_TOTALS = { create: 0, update: 0, delete: 0, unchanged: 0 }
const ACTIONS = { created: 'create', updated: 'update', unchanged: 'unchanged', deleted: 'delete' } as const

/** What becomes of rows one after the other, with the totals of a diff. */
export function importAll(start: World, rows: readonly OracleRow[], policies: OraclePolicies) {
  let after = start
  const totals = { ...NO_TOTALS }
  const outcomes = rows.map((row): Outcome => {
    const { world, outcome } = importRow(after, row, policies)
    const isSame = outcome === 'updated' && JSON.stringify(after.cities) === JSON.stringify(world.cities)
    if (typeof outcome === 'string' && outcome !== 'skipped') totals[isSame ? 'unchanged' : ACTIONS[outcome]]++
    after = world
    return outcome
  })
  return { after, outcomes, totals }
}

export function emptied(world: World): World {
  const copy = world.copy()
  copy.cities = []
  return copy
}

export async function store(database: Database, tables: AnyGeography, cities: readonly City[]): Promise<World> {
  const world = new World(PEOPLE)
  const ids = new Map<string, string>()
  await database.transaction(async () => {
    await currentDb()
      .insert(tables.people)
      .values(PEOPLE.map(name => ({ name })))
    const known = await currentDb()
      .insert(tables.labels)
      .values(LABELS.map(text => ({ text })))
      .returning()
    const reserved: City = { ...RESERVED, name: 'Z', district: null, mayor: null, population: null, labels: '' }
    for (const { iso2, district, name, plate, population, labels } of [...cities, reserved]) {
      if (!ids.has(iso2)) {
        const label = iso2 === RESERVED.iso2 ? RESERVED.name : `Name of ${iso2}`
        world.countries.set(iso2, { name: label })
        const [country] = await currentDb().insert(tables.countries).values({ iso2, name: label }).returning()
        ids.set(iso2, String(country?.id))
      }
      world.cities.push({ iso2, district, name, mayor: null, plate, population, labels })
      const [city] = await currentDb()
        .insert(tables.cities)
        .values({ country: ids.get(iso2) as string, district, name, plate, population })
        .returning()
      const linked = known.filter(({ text }) => labels.split(' ').includes(text))
      for (const { id } of linked)
        await currentDb()
          .insert(tables.cityLabels)
          .values({ city: String(city?.id), label: id })
    }
  })
  return world
}

type Line = readonly (string | null)[]

export function plain({ countries, regions, cities }: World): Record<string, string[]> {
  const text = (lines: readonly Line[]) => lines.map(line => JSON.stringify(line)).sort()
  return {
    countries: text([...countries].map(([iso2, { name }]) => [iso2, name])),
    regions: text(regions.map(({ iso2, name }) => [iso2, name])),
    cities: text(
      cities.map(({ iso2, district, name, mayor, plate, population, labels }) => [
        iso2,
        district,
        name,
        mayor,
        plate,
        population === null ? null : String(population),
        labels,
      ]),
    ),
  }
}

export async function stored({ database }: Pick<ImportFixture, 'database'>): Promise<Record<string, string[]>> {
  const read = async (text: string) => {
    const { rows } = await database.driver.run({ text }, [])
    return rows.map(row => JSON.stringify(row.map(value => (value === null ? null : String(value))))).sort()
  }
  const country = 'join countries on countries.id = country_id'
  const linked =
    'select text from city_labels join labels on labels.id = label_id where city_id = cities.id order by text'
  const labels = `coalesce((select string_agg(text, ' ') from (${linked}) as _linked), '')`
  return {
    countries: await read('select iso2, name from countries'),
    regions: await read(`select iso2, regions.name from regions ${country}`),
    cities: await read(
      `select iso2, district, cities.name, people.name, plate, population, ${labels} from cities ${country} left join people on people.id = mayor_id`,
    ),
  }
}

type Grouped = Pick<ImportProblemGroup, 'field' | 'rows' | 'count'>

/** The fields and rows of groups, whose codes the errors do not show. */
function groupedRows(groups: readonly Grouped[] = []): ReadonlySet<string> {
  return new Set(
    groups.flatMap(({ field, rows, count }) => {
      const numbers = rows.split(', ').flatMap(range => {
        const [first = 0, last = first] = range.split('-').map(Number)
        return Array.from({ length: last - first + 1 }, (_, at) => first + at)
      })
      expect(numbers).toHaveLength(count)
      return numbers.map(row => `${field} ${row}`)
    }),
  )
}

function groupsOf(errors: ImportResult['errors']): readonly Grouped[] {
  return errors.map(({ field, row }) => ({ field, rows: String(row), count: 1 }))
}
