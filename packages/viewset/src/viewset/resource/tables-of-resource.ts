import { historyOf } from '../../model/history.ts'
import { type TableInfo, tableInfo } from '../../model/model-info.ts'
import type { SerializerField } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { FileImportMixin } from '../mixins/file-import-mixin.ts'
import { choiceKey } from '../reading/choice-setting.ts'
import type { ResourceDefinition } from './resource.ts'

/** The tables that a resource needs: its own, and those of its relations, links, imports and histories. */
export function tablesOfResource(definition: ResourceDefinition): readonly TableInfo[] {
  const { config, model, attached } = definition
  const choice = choiceKey.of(definition)
  const serializers = new Set<ModelSerializer>()
  for (const serializer of [config.serializer, ...(config.serializers ?? []), ...(choice?.expandable.values() ?? [])]) {
    addWithNested(serializer, serializers)
  }
  const tables = [
    model,
    ...attached.flatMap(({ models = [] }) => models),
    ...[...serializers].flatMap(({ fields }) => fields.flatMap(tablesOfField)),
    ...tablesOfImport(definition),
  ]
  return tables.flatMap(info => [info, historyOf(info.table)?.info ?? []].flat())
}

function addWithNested(serializer: ModelSerializer, known: Set<ModelSerializer>): void {
  if (known.has(serializer)) return
  known.add(serializer)
  for (const field of serializer.fields) {
    const nested = field.kind === 'stored' ? field.relation?.serializer : field.kind === 'many' && field.serializer
    if (nested) addWithNested(nested, known)
  }
}

function tablesOfField(field: SerializerField): readonly TableInfo[] {
  if (field.kind === 'many') return [field.relation.model, field.relation.links]
  if (field.kind !== 'stored' || !field.column.references) return []
  return [tableInfo(field.column.references.target)]
}

function tablesOfImport(definition: ResourceDefinition): readonly TableInfo[] {
  const importers = FileImportMixin.own(definition)
  const models = importers ? importers(definition.config.serializer).service.plan.models : []
  return models.flatMap(({ model, columns }) => [model, ...columns.flatMap(({ lookup }) => lookup?.model ?? [])])
}
