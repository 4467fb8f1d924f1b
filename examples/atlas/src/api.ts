import { IsAdminUser, IsAuthenticated } from 'viewset'
import type { AtlasDatabase } from './database.ts'
import type { Models } from './models.ts'
import { resources } from './resources.ts'
import { userById } from './users.ts'

/** Whether this process also runs jobs. Set it to false if separate workers run them (`npm run worker -w atlas`). */
const work = process.env.ATLAS_WORK !== 'false'

/** The API of the server, of the workers, and of the command `viewset openapi`. */
export function atlasApi(tables: Models, { files, queue }: Partial<AtlasDatabase['jobs']> = {}) {
  const { jobs, jobErrors, idempotencyKeys } = tables
  return {
    prefix: '/api',
    resources: resources(tables),
    jobs: {
      tables: { jobs, jobErrors },
      findUser: userById,
      permissionClasses: [IsAuthenticated],
      adminPermissionClasses: [IsAdminUser],
      work,
      ...(files && { files }),
      ...(queue && { queue }),
    },
    idempotency: { table: idempotencyKeys },
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
