import { labelOf } from '../../exporting/export-columns.ts'
import type { ExportService } from '../../exporting/export-service.ts'
import { ownHeader } from '../../importing/plan/headers.ts'
import type { ImportPlan } from '../../importing/plan/plan.ts'
import { templateFormats } from '../../importing/template/template.ts'
import type { JsonSchema } from '../../kinds/json-schema.ts'
import { kindOf } from '../../kinds/kinds.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import type { QueryParameters } from '../../query/query-parameters.ts'
import { isReadable, isWritable, type SerializerField } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { EndpointContext } from '../../viewset/endpoints/endpoint.ts'
import type { Importer } from '../../viewset/files/importer.ts'
import { makeView } from '../../viewset/make-view.ts'
import { FileExportMixin } from '../../viewset/mixins/file-export-mixin.ts'
import { FileImportMixin } from '../../viewset/mixins/file-import-mixin.ts'
import { hiddenFields } from '../../viewset/reading/hidden-fields.ts'
import { hidesLookup } from '../../viewset/reading/hidden-lookup.ts'
import { readableQuery } from '../../viewset/reading/hidden-parameters.ts'
import {
  type DescribedEndpoint,
  isAboutRecord,
  isStandard,
  labelOfResource,
  type RegisteredResource,
} from '../api-description.ts'
import { pathTemplate } from '../openapi/parameters.ts'
import type {
  ActionSchema,
  ExportSchema,
  FieldSchema,
  ImportSchema,
  ParameterSchema,
  ResourceSchema,
} from './api-schema.ts'

export function resourceSchema(
  registered: RegisteredResource,
  allowed: readonly DescribedEndpoint[],
  context: EndpointContext,
  resourceOf: ResourceOf,
): ResourceSchema {
  const { name, resource } = registered
  const { definition, mixins } = resource
  const { model, config } = definition
  // The serializer may depend on the user.
  const view = makeView(resource, { ...context, action: 'schema', method: 'GET' })
  const serializer = view.getSerializer()
  const hidden = hiddenFields(view)
  const lookup = hidesLookup(view) ? undefined : definition.lookup
  const has = (action: string) => allowed.some(described => isStandard(described, action))
  const list = allowed.find(described => isStandard(described, 'list'))
  return {
    name,
    path: pathTemplate({ path: `/${name}/` }),
    label: labelOfResource(registered),
    description: config.describes?.description ?? '',
    key: model.key.map(({ wire }) => wire).join(','),
    lookup: lookup?.wire ?? model.key.map(({ wire }) => wire).join(','),
    soft_deletes: model.softDeletable,
    actions: allowed.map(actionSchema),
    fields: fieldSchemas(serializer, resourceOf),
    query: parameterSchemas(readableQuery(view, list?.description.query ?? {})),
    export:
      mixins.includes(FileExportMixin) && has('export')
        ? exportSchema(FileExportMixin.own(definition)(serializer, hidden))
        : null,
    import:
      mixins.includes(FileImportMixin) && has('importFile')
        ? importOf(FileImportMixin.own(definition)(serializer, hidden))
        : null,
  }
}

/** A user who cannot read the columns that the rows need has no import. */
function importOf({ service }: Importer): ImportSchema | null {
  return service.needsHidden ? null : importSchema(service.plan)
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

function parameterSchemas(query: QueryParameters): ParameterSchema[] {
  return Object.entries(query).map(([name, parameter]) => {
    const { purpose = 'filter', field = null, lookup = null, required = false, description = '', ...schema } = parameter
    return { name, purpose, field, lookup, required, description: String(description), schema }
  })
}

/** The resource in which a user finds records of a model; null for none. */
type ResourceOf = (model: ModelInfo) => string | null

type Properties = Readonly<Record<string, JsonSchema>>

function fieldSchemas(serializer: ModelSerializer, resourceOf: ResourceOf): FieldSchema[] {
  const inputs = propertiesOf(serializer.inputSchema())
  const outputs = propertiesOf(serializer.outputSchema())
  return serializer.fields.map(field => ({
    name: field.wire,
    label: labelOf(field.wire),
    kind: kindNameOf(field),
    nullable: isNullable(field),
    readable: isReadable(field),
    writable: isWritable(field),
    required: isWritable(field) && field.required,
    input: inputs[field.wire] ?? null,
    output: outputs[field.wire] ?? null,
    relation: relationOf(field, resourceOf),
  }))
}

function propertiesOf({ properties = {} }: JsonSchema): Properties {
  return properties as Properties
}

function isNullable(field: SerializerField): boolean {
  return field.kind === 'expression' ? !field.notNull : field.kind === 'stored' && field.column.nullable
}

function kindNameOf(field: SerializerField): string | null {
  if (field.kind === 'computed' || field.kind === 'input') return null
  if (field.kind === 'expression') return kindOf(field.value).name
  return kindOf(field.kind === 'many' ? (field.read === 'str' && field.str) || field.relation.relatedKey : field.column)
    .name
}

function relationOf(field: SerializerField, resourceOf: ResourceOf): FieldSchema['relation'] {
  if (field.kind === 'many') {
    const { relation, read, str } = field
    const write = field.readOnly ? null : field.write
    const resource = resourceOf(relation.model)
    return { resource, key: relation.relatedKey.wire, many: true, read, write, str: str?.wire ?? null }
  }
  if (field.kind !== 'stored' || !field.relation) return null
  const { model, target, str, read, write } = field.relation
  return {
    resource: resourceOf(model),
    key: target.wire,
    many: false,
    read,
    write: field.readOnly ? null : write,
    str: str?.wire ?? null,
  }
}

function exportSchema({ formats, columns }: ExportService<ModelSerializer>): ExportSchema {
  return {
    formats: [...formats.keys()],
    columns: [...columns.byWire.values()].map(({ wire, header }) => ({ name: wire, header })),
    standard: columns.standard.map(({ wire }) => wire),
  }
}

function importSchema(plan: ImportPlan): ImportSchema {
  return {
    formats: [...plan.formats],
    template_formats: [...templateFormats(plan)],
    models: plan.models.map(({ key, columns, unique }) => ({
      name: key,
      columns: columns.map(column => ({
        header: ownHeader(column, false),
        field: column.column.wire,
        required: column.required,
      })),
      unique_fields: unique.columns.map(({ wire }) => wire),
    })),
  }
}
