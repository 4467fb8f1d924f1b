import fc from 'fast-check'
import { type ImportFileConfig, type ImportPolicy, importManyToMany } from 'viewset'
import { type AnyGeography, atlasModels } from './import-models.ts'
import type { City, OraclePolicies, OraclePolicy, OracleRow } from './import-oracle.ts'

/** A country that no row is about, with a name and a city with a plate that others may want. */
export const RESERVED = { iso2: 'ZZ', name: 'Taken', plate: 'TAKEN' }

const rare = <T>(common: fc.Arbitrary<T>, odd: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 12, arbitrary: common }, { weight: 1, arbitrary: odd })
const codes = fc.constantFrom('DE', 'FR', 'IT', 'ES')

/** Rows of a file that share countries, claim each other's names and plates, and have bad cells anywhere. */
const row: fc.Arbitrary<OracleRow> = codes.chain(iso2 =>
  fc.record({
    iso2: rare<string | null>(fc.constant(iso2), fc.constantFrom(null, 'DEU')),
    country: rare<string | null>(fc.constant(`Name of ${iso2}`), fc.constantFrom('Shared', RESERVED.name, null)),
    region: rare<string | null>(fc.constantFrom('North', 'North', 'South', 'South', 'West'), fc.constant(null)),
    district: fc.constantFrom(null, null, 'Old'),
    city: rare<string | null>(fc.constantFrom('A', 'B', 'C'), fc.constant(null)),
    mayor: rare<string | null>(fc.constantFrom(null, 'Ann', 'Ben'), fc.constantFrom('Cleo', 'Nobody')),
    plate: rare<string | null>(
      fc.constantFrom(null, null, 'P1', 'P2', 'P3'),
      fc.constantFrom(RESERVED.plate, 'TOOLONG'),
    ),
    population: rare<string | null>(fc.constantFrom(null, '1', '20'), fc.constantFrom('666', '1.5', '1e3', 'many')),
    labels: rare<string | null>(fc.constantFrom(null, 'a', 'b; a', ' a;b;a '), fc.constant('a; c')),
    isGone: rare(fc.constant(false), fc.constant(true)),
  }),
)

/** Cities that are stored before; some twice, so that a row about them cannot tell which one it means. */
const storedCity: fc.Arbitrary<City> = fc.record({
  iso2: codes,
  district: fc.constantFrom(null, 'Old'),
  name: fc.constantFrom('A', 'B'),
  mayor: fc.constant(null),
  plate: fc.constant(null),
  population: fc.constant(7),
  labels: fc.constantFrom('', 'a'),
})

/** Most models are as they are without settings; no policy may exclude all writes. */
const policy = fc.constantFrom<OraclePolicy[]>(
  { onExisting: 'update', onMissing: 'create', skipUnchanged: false, createOnly: false },
  { onExisting: 'update', onMissing: 'create', skipUnchanged: true, createOnly: false },
  { onExisting: 'skip', onMissing: 'create', skipUnchanged: false, createOnly: false },
  { onExisting: 'fail', onMissing: 'create', skipUnchanged: false, createOnly: false },
  { onExisting: 'update', onMissing: 'skip', skipUnchanged: true, createOnly: false },
  { onExisting: 'update', onMissing: 'fail', skipUnchanged: false, createOnly: false },
)
const plainPolicy = fc.constant<OraclePolicy>({
  onExisting: 'update',
  onMissing: 'create',
  skipUnchanged: false,
  createOnly: false,
})
const createOnly = plainPolicy.map(policy => ({ ...policy, createOnly: true }))
const somePolicy = fc.oneof({ weight: 2, arbitrary: plainPolicy }, { weight: 3, arbitrary: policy })

/** What records of each model meet, and what else their import is told. */
export const somePolicies: fc.Arbitrary<OraclePolicies> = fc
  .record({
    countries: somePolicy,
    regions: somePolicy,
    cities: fc.oneof({ weight: 5, arbitrary: somePolicy }, { weight: 1, arbitrary: createOnly }),
    hasLinks: fc.boolean(),
    hasDeletions: fc.boolean(),
  })
  // What makes a record for each row has none to delete.
  .map(drawn => ({ ...drawn, hasDeletions: drawn.hasDeletions && !drawn.cities.createOnly }))

/** What is stored before an import, its file, and how it is imported. */
export const scenario = fc.record({
  policies: somePolicies,
  cities: fc.array(storedCity, { maxLength: 3 }),
  rows: fc.array(row, { minLength: 1, maxLength: 14 }),
  chunkSize: fc.constantFrom(undefined, 1, 2, 3, 5),
  diff: fc.boolean(),
  mode: fc.constantFrom('append' as const, 'append' as const, 'replace' as const, 'dry run' as const),
})

/** The models with their policies, as a configuration has them. */
export function withPolicies(tables: AnyGeography, policies: OraclePolicies): ImportFileConfig['models'] {
  const { countries, regions, cities } = atlasModels(tables)
  const { labels, cityLabels } = tables
  const byText = importManyToMany({ model: labels, lookupField: 'text', sourceField: 'labels', through: cityLabels })
  return {
    countries: { ...countries, ...settingsOf(policies.countries) },
    regions: { ...regions, ...settingsOf(policies.regions) },
    cities: {
      ...cities,
      ...settingsOf(policies.cities),
      ...(policies.hasLinks && { manyToMany: { labels: byText } }),
      ...(policies.hasDeletions && { deleteWhen: { sourceField: 'gone', equals: ['x'] } }),
    },
  }
}

function settingsOf({ createOnly, ...policy }: OraclePolicy): ImportPolicy & { readonly uniqueFields?: [] } {
  return createOnly ? { createOnly, uniqueFields: [] } : policy
}
