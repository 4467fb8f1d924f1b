import fc from 'fast-check'
import { AllowAny, BaseModelSerializer, type ColumnKit, compose, FileImportMixin } from 'viewset'
import { geography } from './import-models.ts'
import { somePolicies, withPolicies } from './import-scenario.ts'

/** Configurations, each of which is a resource: an API has those that it began with. */
export const CONFIGS = fc.sample(
  fc.record({ policies: somePolicies, chunkSize: fc.constantFrom(undefined, 1, 2, 3, 5) }),
  { numRuns: 40, seed: 14 },
)

const Imports = compose(FileImportMixin)

/** What an API is made of that imports random files in the background, the same in all of its processes. */
export function killableResources(kit: ColumnKit) {
  const tables = { ...geography(kit), ...kit.JobTables() }
  const { cities, jobs, jobErrors } = tables
  const resources = CONFIGS.map(({ policies, chunkSize }, index) => {
    const resource = Imports({
      model: cities,
      serializer: BaseModelSerializer(cities, { fields: ['id', 'population'] }),
      permissionClasses: [AllowAny],
      importFileConfig: {
        fileFormat: 'csv',
        order: ['countries', 'regions', 'cities'],
        models: withPolicies(tables, policies),
        ...(chunkSize !== undefined && { chunkSize }),
      },
    })
    return [`cities-${index}`, resource] as const
  })
  return { tables, resources: Object.fromEntries(resources), jobTables: { jobs, jobErrors } }
}
