// What the command `viewset` reads, as in: npx viewset generate-import-template CityViewSet
import { defineConfig } from 'viewset'
import { kit } from 'viewset/sqlite'
import { models } from './src/models.ts'
import { resources } from './src/resources.ts'

const { countries, regions, cities, geography } = resources(models(kit))

export default defineConfig({
  resources: {
    CountryViewSet: countries,
    RegionViewSet: regions,
    CityViewSet: cities,
    GeographyViewSet: geography,
  },
})
