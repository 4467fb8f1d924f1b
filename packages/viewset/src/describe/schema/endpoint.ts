import * as z from 'zod'
import { Reply } from '../../viewset/answer/reply.ts'
import type { Endpoint, EndpointContext } from '../../viewset/endpoints/endpoint.ts'
import type { PermissionClass } from '../../viewset/permissions.ts'
import {
  type ApiDescription,
  apiEndpoint,
  type DescribedEndpoint,
  describedEndpoints,
  isStandard,
  type RegisteredResource,
} from '../api-description.ts'
import { ApiSchema } from './api-schema.ts'
import { resourceSchema } from './resource-schema.ts'

/** Options of the schema for users. */
export interface SchemaOptions {
  /** The permissions for reading it. It shows only what the user may do. Default `[AllowAny]`. */
  readonly permissionClasses?: readonly PermissionClass[]
}

/** `GET {prefix}/schema/`: what the current user may do, and how. */
export function schemaEndpoint(api: ApiDescription, { permissionClasses }: SchemaOptions): Endpoint {
  let described: readonly DescribedEndpoint[] | undefined
  return apiEndpoint({
    action: 'schema',
    path: '/schema/',
    permissionClasses,
    describe: () => ({
      summary: 'Retrieve the schema for the user',
      description: 'The resources, actions, fields and parameters that the user may use.',
      data: z.toJSONSchema(ApiSchema(), { io: 'output' }),
    }),
    answer: async context => {
      described ??= describedEndpoints(api)
      // Private: a proxy that identifies users by a cookie must not cache it.
      return new Reply(await schemaFor(described, context), { headers: { 'cache-control': 'private, no-cache' } })
    },
  })
}

async function schemaFor(described: readonly DescribedEndpoint[], context: EndpointContext): Promise<ApiSchema> {
  const { user, settings } = context
  const { BULK_OPERATION_BATCH_SIZE, IMPORT_MAX_FILE_SIZE, EXPORT_DATA_MAX_ROWS, EXPORT_PDF_MAX_ROWS, TIME_ZONE } =
    settings.COMMON
  const allowed = await allowedEndpoints(described, context)
  // A nested resource has no list without its parent record.
  const listed = [...allowed].filter(
    ([{ name }, endpoints]) => !name.includes(':') && endpoints.some(endpoint => isStandard(endpoint, 'list')),
  )
  return {
    user: user && { id: user.id, roles: [...(user.roles ?? [])] },
    limits: {
      bulk_items: BULK_OPERATION_BATCH_SIZE,
      import_file_size: IMPORT_MAX_FILE_SIZE,
      export_data_rows: EXPORT_DATA_MAX_ROWS,
      export_pdf_rows: EXPORT_PDF_MAX_ROWS,
      time_zone: TIME_ZONE,
    },
    resources: [...allowed].map(([registered, endpoints]) =>
      resourceSchema(registered, endpoints, context, model => {
        const found = listed.find(([{ resource }]) => resource.definition.model === model)
        return found?.[0].name ?? null
      }),
    ),
  }
}

/** The endpoints that the user may use, by resource. A resource without any is omitted. */
async function allowedEndpoints(
  all: readonly DescribedEndpoint[],
  context: EndpointContext,
): Promise<ReadonlyMap<RegisteredResource, readonly DescribedEndpoint[]>> {
  const allowed = new Map<RegisteredResource, DescribedEndpoint[]>()
  for (const described of all) {
    const { endpoint, registered } = described
    if (!registered || !(await endpoint.isAllowed(context))) continue
    allowed.set(registered, [...(allowed.get(registered) ?? []), described])
  }
  return allowed
}
