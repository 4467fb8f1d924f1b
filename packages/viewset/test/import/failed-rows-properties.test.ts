import { AllowAny, BaseModelSerializer, ImportableViewSet, importForeignKey, importModel } from 'viewset'
import { afterAll, beforeAll, test } from 'vitest'
import { removeFolder, temporaryFolder } from '../../src/tabular/temporary-folder.ts'
import { useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { checkFailedRows } from '../support/failed-rows-property.ts'
import { geography } from '../support/import-models.ts'

describeOneDialect('files of failed rows', dialect => {
  const tables = geography(dialect.kit)
  const { countries, cities } = tables
  const importFileConfig = {
    fileFormat: ['csv', 'xlsx'],
    order: ['countries', 'cities'],
    models: {
      countries: importModel({ model: countries, fields: ['iso2', 'name'], uniqueFields: ['iso2'] }),
      cities: importModel({
        model: cities,
        fields: ['name', 'population', 'area', 'kind'],
        uniqueFields: ['country', 'name'],
        foreignKeys: { country: importForeignKey({ model: countries, lookupField: 'iso2', sourceField: 'iso2' }) },
      }),
    },
  } as const
  const config = {
    model: cities,
    serializer: BaseModelSerializer(cities, { fields: ['id', 'name', 'country'] }),
    permissionClasses: [AllowAny],
  }
  const CityViewSet = ImportableViewSet({ ...config, importFileConfig })
  const ChunkedViewSet = ImportableViewSet({ ...config, importFileConfig: { ...importFileConfig, chunkSize: 2 } })
  const api = useApi(dialect, { tables, resources: { cities: CityViewSet, chunked: ChunkedViewSet } })
  let folder = ''
  beforeAll(async () => {
    folder = await temporaryFolder('import')
  })
  afterAll(() => removeFolder(folder))

  test('are put right, sent again, and end with what was meant', () => checkFailedRows(api, folder, cases(25)))
})
