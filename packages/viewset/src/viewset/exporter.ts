import { ExportService, type ExportSettings } from '../exporting/export-service.ts'
import { isReadable } from '../serializer/fields.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'

/** Makes files of what a serializer shows; a view may have another one than its resource. */
export type Exporter = (serializer: ModelSerializer) => ExportService<ModelSerializer>

/** The settings of an export, as the implementation reads them. */
export type ExporterConfig = ExportSettings & { readonly serializer: ModelSerializer }

/** @throws ConfigError for an export setting that cannot be met. */
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

/** Without the paths of which the resource's own serializer shows more than this one: they are hidden from somebody. */
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

/** How many parts of a path a serializer shows: 1 of `author__email` where its authors have no email. */
function shownParts({ fields }: ModelSerializer, [name, ...rest]: readonly string[]): number {
  const parts = fields.filter(isReadable).map(field => {
    // A relation may be named otherwise than its foreign key, of which a path has the name.
    if (field.key !== name && !(field.kind === 'stored' && field.column.key === name)) return 0
    const nested = field.kind === 'stored' ? field.nested : null
    if (nested?.read === 'str') return nested.str?.key === rest[0] ? 2 : 1
    return nested?.read === 'data' && nested.serializer ? 1 + shownParts(nested.serializer, rest) : 1
  })
  return Math.max(0, ...parts)
}
