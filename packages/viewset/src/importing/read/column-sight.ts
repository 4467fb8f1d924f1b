import { isReadable, type SerializerField } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { ImportColumn, ModelPlan } from '../plan/plan.ts'

/** Which columns of a model a report may show to who imports. */
export interface ColumnSight {
  readonly shown: readonly ImportColumn[]
  /** Columns that can only be written: whether they hold what a file says, nobody may learn. */
  readonly secret: ReadonlySet<ImportColumn>
}

/**
 * Decides what may be shown: what the serializer shows of its own model, and what the serializers of its relations show
 * of theirs. Without a serializer, all of it.
 */
export function columnSight({ model, columns }: ModelPlan, serializer: ModelSerializer | undefined): ColumnSight {
  const stored = columns.filter(({ deletes }) => !deletes)
  if (!serializer) return { shown: stored, secret: new Set() }
  const showing = serializer.model === model.table ? serializer : nestedSerializer(serializer, model.table)
  const fieldsOf = (column: ImportColumn) => (showing?.fields ?? []).filter(field => isOf(field, column))
  return {
    shown: stored.filter(column => fieldsOf(column).some(isReadable)),
    secret: new Set(
      stored.filter(column => {
        const fields = fieldsOf(column)
        return fields.length > 0 && !fields.some(isReadable)
      }),
    ),
  }
}

function isOf(field: SerializerField, { column, links }: ImportColumn): boolean {
  return links ? field.kind === 'many' && field.key === column.key : field.kind === 'stored' && field.column === column
}

/** The serializer by which another one shows records of a model. */
function nestedSerializer({ fields }: ModelSerializer, table: unknown): ModelSerializer | undefined {
  for (const field of fields.filter(isReadable)) {
    const nested =
      field.kind === 'many' ? field.serializer : field.kind === 'stored' ? field.nested?.serializer : undefined
    if (nested?.model === table) return nested
  }
  return undefined
}
