import type { QueryParameters } from '../../query/query-parameters.ts'
import type { EndpointContext } from '../../viewset/endpoints/endpoint.ts'
import { makeView } from '../../viewset/make-view.ts'
import { FileExportMixin } from '../../viewset/mixins/file-export-mixin.ts'
import { FileImportMixin } from '../../viewset/mixins/file-import-mixin.ts'
import {
  type DescribedEndpoint,
  isAboutRecord,
  isStandard,
  labelOfResource,
  type RegisteredResource,
} from '../api-description.ts'
import { pathTemplate } from '../openapi/parameters.ts'
import type { ActionSchema, ParameterSchema, ResourceSchema } from './api-schema.ts'
import { fieldSchemas, type ResourceOf } from './field-schemas.ts'
import { exportSchema, importSchema } from './file-schemas.ts'

/** A resource as a user may use it, by the endpoints that are allowed. */
export function resourceSchema(
  registered: RegisteredResource,
  allowed: readonly DescribedEndpoint[],
  context: EndpointContext,
  resourceOf: ResourceOf,
): ResourceSchema {
  const { name, resource } = registered
  const { definition, mixins } = resource
  const { model, config } = definition
  // Some users may have another serializer than others.
  const serializer = makeView(resource, { ...context, action: 'schema', method: 'GET' }).getSerializer()
  const has = (action: string) => allowed.some(described => isStandard(described, action))
  const list = allowed.find(described => isStandard(described, 'list'))
  return {
    name,
    path: pathTemplate({ path: `/${name}/` }),
    label: labelOfResource(registered),
    description: config.describes?.description ?? '',
    key: model.primaryKey.wire,
    soft_deletes: model.softDeletable,
    actions: allowed.map(actionSchema),
    fields: fieldSchemas(serializer, resourceOf),
    query: parameterSchemas(list?.description.query),
    export:
      mixins.includes(FileExportMixin) && has('export')
        ? exportSchema(FileExportMixin.own(definition)(serializer))
        : null,
    import:
      mixins.includes(FileImportMixin) && has('importFile')
        ? importSchema(FileImportMixin.own(definition)(serializer).service.plan)
        : null,
  }
}

function actionSchema(described: DescribedEndpoint): ActionSchema {
  const { endpoint, description } = described
  const { action, method, isCustom = false } = endpoint
  return {
    name: action,
    method,
    path: pathTemplate(endpoint),
    detail: isAboutRecord(described),
    custom: isCustom,
    summary: description.summary,
    deprecated: description.deprecated ?? false,
    input: (isCustom && description.body) || null,
  }
}

function parameterSchemas(query: QueryParameters = {}): ParameterSchema[] {
  return Object.entries(query).map(([name, parameter]) => {
    const { purpose = 'filter', field = null, lookup = null, required = false, description = '', ...schema } = parameter
    return { name, purpose, field, lookup, required, description: String(description), schema }
  })
}
