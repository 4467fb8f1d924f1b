import type { ExportService } from '../../exporting/export-service.ts'
import { ownHeader } from '../../importing/plan/headers.ts'
import type { ImportPlan } from '../../importing/plan/plan.ts'
import { templateFormats } from '../../importing/template/template.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { ExportSchema, ImportSchema } from './api-schema.ts'

/** What files an export makes. */
export function exportSchema({ formats, columns }: ExportService<ModelSerializer>): ExportSchema {
  return {
    formats: [...formats.keys()],
    columns: [...columns.byWire.values()].map(({ wire, header }) => ({ name: wire, header })),
    standard: columns.standard.map(({ wire }) => wire),
  }
}

/** What files an import takes. */
export function importSchema(plan: ImportPlan): ImportSchema {
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
