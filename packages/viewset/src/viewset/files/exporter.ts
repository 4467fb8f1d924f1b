import { type ListSeparators, labelOf } from '../../exporting/export-columns.ts'
import { ExportService, type ExportSettings } from '../../exporting/export-service.ts'
import { type ImportFileConfig, type ImportModel, LINK_SEPARATOR } from '../../importing/config.ts'
import { isReadable } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { HiddenFields } from '../reading/hidden-fields.ts'
import { shownParts } from '../reading/shown-parts.ts'

/**
 * Makes the export of a serializer. A view may have another serializer than its resource, and a request may have
 * `chosen` some of its fields.
 */
export type Exporter = (
  serializer: ModelSerializer,
  hidden?: HiddenFields,
  chosen?: ModelSerializer,
) => ExportService<ModelSerializer>

export type ExporterConfig = ExportSettings & {
  readonly serializer: ModelSerializer
  /** The import of the same resource, which reads what the export writes. */
  readonly importFileConfig?: ImportFileConfig
}

type FieldConfig = NonNullable<ExportSettings['exportFieldConfig']>

export function exporterOf(subject: string, config: ExporterConfig): Exporter {
  const { exportFieldConfig } = config
  const own = config.serializer
  const separators = linkSeparators(config)
  const standard = new ExportService(own, config, subject, separators)
  const services = new WeakMap<ModelSerializer, WeakMap<object, ExportService<ModelSerializer>>>()
  return (serializer, hidden, chosen) => {
    if (serializer === own && (!hidden || hidden.isEmpty) && !chosen) return standard
    const exported = chosen ?? serializer
    const ofSerializer = services.get(exported) ?? new WeakMap<object, ExportService<ModelSerializer>>()
    services.set(exported, ofSerializer)
    const reader = hidden ?? ofSerializer
    const known = ofSerializer.get(reader)
    if (known) return known
    const shown = exportFieldConfig && shownBy(serializer, own, hidden, exportFieldConfig)
    const fieldConfig = chosen ? columnsOfChosen(serializer, chosen, shown) : shown
    const service = new ExportService(exported, { ...config, exportFieldConfig: fieldConfig }, subject, separators)
    ofSerializer.set(reader, service)
    return service
  }
}

/** The separators of the import, by the serializer's relation to many. */
function linkSeparators({ serializer, importFileConfig }: ExporterConfig): ListSeparators {
  // The import checks its configuration later.
  const models: readonly (ImportModel | undefined)[] = Object.values(importFileConfig?.models ?? {})
  const links = models.flatMap(model => Object.entries(model?.manyToMany ?? {}))
  return new Map(
    serializer.fields.flatMap(({ key, wire }): [string, string][] => {
      const found = links.find(([name, link]) => name === key || [key, wire].includes(link?.sourceField))
      return found ? [[key, found[1].separator ?? LINK_SEPARATOR]] : []
    }),
  )
}

/** Removes paths that are hidden from this reader, or of which this serializer shows less than the resource's. */
function shownBy(
  serializer: ModelSerializer,
  own: ModelSerializer,
  hidden: HiddenFields | undefined,
  config: FieldConfig,
): FieldConfig | undefined {
  const shown = Object.entries(config).filter(([key]) => {
    const path = key.split('__')
    return !hidden?.hidesPath(key) && shownParts(serializer, path) >= shownParts(own, path)
  })
  return shown.length > 0 ? Object.fromEntries(shown) : undefined
}

/** The columns that the configuration has for each chosen field, or one for the field itself. */
function columnsOfChosen(serializer: ModelSerializer, chosen: ModelSerializer, config: FieldConfig = {}): FieldConfig {
  const configured = Object.entries(config).filter(([key]) => {
    const path = key.split('__')
    return shownParts(chosen, path) >= shownParts(serializer, path)
  })
  const columns = chosen.fields.filter(isReadable).flatMap(({ key, wire }): [string, string | undefined][] => {
    const own = configured.filter(([path]) => fieldOfPath(serializer, path) === key)
    return own.length > 0 ? own : [[key, labelOf(wire)]]
  })
  return Object.fromEntries(columns)
}

/** A relation may have another name than its foreign key. Paths use the foreign key's. */
function fieldOfPath({ fields }: ModelSerializer, path: string): string | undefined {
  const [first] = path.split('__')
  const named = fields.find(({ key }) => key === first)
  return (named ?? fields.find(field => field.kind === 'stored' && field.column.key === first))?.key
}
