import { ExportService } from '../exporting/export-service.ts'
import { isReadable } from '../serializer/fields.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import type { ResourceConfig } from './config.ts'

/** Makes files of what a serializer shows; a view may have another one than its resource. */
export type Exporter = (serializer: ModelSerializer) => ExportService<ModelSerializer>

/** @throws ConfigError for an export setting that cannot be met. */
export function exporterOf(subject: string, config: ResourceConfig): Exporter {
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

/** Without the fields that the resource's own serializer shows and this one does not: they are hidden from somebody. */
function shownBy(
  serializer: ModelSerializer,
  own: ModelSerializer,
  config: NonNullable<ResourceConfig['exportFieldConfig']>,
): ResourceConfig['exportFieldConfig'] {
  const has = ({ fields }: ModelSerializer, name: string) =>
    fields.some(field => field.key === name && isReadable(field))
  const shown = Object.entries(config).filter(([path]) => {
    const [name = ''] = path.split('__')
    return !has(own, name) || has(serializer, name)
  })
  return shown.length > 0 ? Object.fromEntries(shown) : undefined
}
