import { ExportService, type ExportSettings } from '../../exporting/export-service.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { type HiddenFields, shownParts } from '../reading/hidden-fields.ts'

/** Makes the export of a serializer. A view may have another serializer than its resource. */
export type Exporter = (serializer: ModelSerializer, hidden?: HiddenFields) => ExportService<ModelSerializer>

export type ExporterConfig = ExportSettings & { readonly serializer: ModelSerializer }

export function exporterOf(subject: string, config: ExporterConfig): Exporter {
  const { exportFieldConfig } = config
  const own = config.serializer
  const standard = new ExportService(own, config, subject)
  const services = new WeakMap<ModelSerializer, WeakMap<object, ExportService<ModelSerializer>>>()
  return (serializer, hidden) => {
    if (serializer === own && (!hidden || hidden.isEmpty)) return standard
    const ofSerializer = services.get(serializer) ?? new WeakMap<object, ExportService<ModelSerializer>>()
    services.set(serializer, ofSerializer)
    const reader = hidden ?? ofSerializer
    const shown = exportFieldConfig && shownBy(serializer, own, hidden, exportFieldConfig)
    const service =
      ofSerializer.get(reader) ?? new ExportService(serializer, { ...config, exportFieldConfig: shown }, subject)
    ofSerializer.set(reader, service)
    return service
  }
}

/** Removes paths that are hidden from this reader, or of which this serializer shows less than the resource's. */
function shownBy(
  serializer: ModelSerializer,
  own: ModelSerializer,
  hidden: HiddenFields | undefined,
  config: NonNullable<ExportSettings['exportFieldConfig']>,
): ExportSettings['exportFieldConfig'] {
  const shown = Object.entries(config).filter(([key]) => {
    const path = key.split('__')
    return !hidden?.hidesPath(key) && shownParts(serializer, path) >= shownParts(own, path)
  })
  return shown.length > 0 ? Object.fromEntries(shown) : undefined
}
