// What the command `viewset` reads, as in: npx viewset generate-import-template CityViewSet
import { defineConfig } from 'viewset'
import { atlasApi } from './src/api.ts'
import { openDatabase } from './src/database.ts'
import { models } from './src/models.ts'
import { authenticateBy, tokensFrom } from './src/users.ts'

const atlas = await openDatabase(process.env)
const api = atlasApi(models(atlas.kit), atlas.jobs)
const { countries, regions, cities, geography } = api.resources

export default defineConfig({
  resources: {
    CountryViewSet: countries,
    RegionViewSet: regions,
    CityViewSet: cities,
    GeographyViewSet: geography,
  },
  api: { ...api, authenticate: authenticateBy(tokensFrom({})) },
  database: () => atlas.database,
})
