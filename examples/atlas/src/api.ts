import type { Models } from './models.ts'
import { resources } from './resources.ts'

/** The atlas as it is registered: for its server, and for the command `viewset openapi`. */
export function atlasApi(tables: Models) {
  return {
    prefix: '/api',
    resources: resources(tables),
    openapi: {
      info: {
        title: 'Atlas',
        version: '1.0.0',
        description: 'Continents, countries, regions and cities, visits to them, and what has happened there.',
        license: { name: 'MIT', identifier: 'MIT' },
      },
    },
    schema: true,
    docs: true,
  } as const
}
