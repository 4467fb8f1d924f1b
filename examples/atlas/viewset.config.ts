// What the command `viewset` reads, as in: npx viewset generate-import-template CityViewSet
import { defineConfig } from 'viewset'
import { kit } from 'viewset/sqlite'
import { atlasApi } from './src/api.ts'
import { models } from './src/models.ts'
import { authenticateBy, tokensFrom } from './src/users.ts'

const api = atlasApi(models(kit))
const { countries, regions, cities, geography } = api.resources

export default defineConfig({
  resources: {
    CountryViewSet: countries,
    RegionViewSet: regions,
    CityViewSet: cities,
    GeographyViewSet: geography,
  },
  api: { ...api, authenticate: authenticateBy(tokensFrom({})) },
})
