import { ExportService, type ExportSettings } from '../../exporting/export-service.ts'
import { isReadable } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'

/** Makes the export of a serializer. A view may have another serializer than its resource. */
export type Exporter = (serializer: ModelSerializer) => ExportService<ModelSerializer>

export type ExporterConfig = ExportSettings & { readonly serializer: ModelSerializer }

export function exporterOf(subject: string, config: ExporterConfig): Exporter {
  const { exportFieldConfig } = config
  const own = config.serializer
  const services = new WeakMap([[own, new ExportService(own, config, subject)]])
  return serializer => {
    let service = services.get(serializer)
    if (!service) {
      const shown = exportFieldConfig && shownBy(serializer, own, exportFieldConfig)
      service = new ExportService(serializer, { ...config, exportFieldConfig: shown }, subject)
      services.set(serializer, service)
    }
    return service
  }
}

/** Removes paths of which this serializer shows less than the resource's: they are hidden from this user. */
function shownBy(
  serializer: ModelSerializer,
  own: ModelSerializer,
  config: NonNullable<ExportSettings['exportFieldConfig']>,
): ExportSettings['exportFieldConfig'] {
  const shown = Object.entries(config).filter(([key]) => {
    const path = key.split('__')
    return shownParts(serializer, path) >= shownParts(own, path)
  })
  return shown.length > 0 ? Object.fromEntries(shown) : undefined
}

/** The number of parts of a path that a serializer shows: 1 for `author__email` if its authors have no email. */
function shownParts({ fields }: ModelSerializer, [name, ...rest]: readonly string[]): number {
  const parts = fields.filter(isReadable).map(field => {
    // A relation may have another name than its foreign key. Paths use the foreign key's.
    if (field.key !== name && !(field.kind === 'stored' && field.column.key === name)) return 0
    const nested = field.kind === 'stored' ? field.nested : null
    if (nested?.read === 'str') return nested.str?.key === rest[0] ? 2 : 1
    return nested?.read === 'data' && nested.serializer ? 1 + shownParts(nested.serializer, rest) : 1
  })
  return Math.max(0, ...parts)
}
