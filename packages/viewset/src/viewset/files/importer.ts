import type { ImportFileConfig, ImportTransforms } from '../../importing/config.ts'
import { ImportService } from '../../importing/import-service.ts'
import type { ImportServiceOptions } from '../../importing/options.ts'
import { chosenExamples, type ImportExamples } from '../../importing/template/examples.ts'
import type { Examples } from '../../importing/template/source.ts'
import { importTemplate, type Template, type TemplateFormat } from '../../importing/template/template.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { QuerySet } from '../../store/queryset.ts'
import type { ResourceConfig, ResourceDefinition } from '../resource/resource.ts'

export interface ImporterConfig extends ResourceConfig {
  readonly importFileConfig: ImportFileConfig
  readonly importTransforms?: object
  readonly importExamples?: object
  /** The headers of exported files, which the import accepts. */
  readonly exportFieldConfig?: ImportServiceOptions['headers']
}

export interface Importer {
  readonly service: ImportService
  /** The cells of `importExamples`. */
  readonly chosen: Examples
  /** With a queryset, its examples refer to stored records. */
  template(format: TemplateFormat, queryset?: QuerySet): Promise<Template>
}

export type Importers = (serializer: ModelSerializer) => Importer

export function importersOf({ subject, fixedValues }: ResourceDefinition, config: ImporterConfig): Importers {
  const hasFixedValues = config.fixedValues !== undefined || fixedValues.length > 0
  const importers = new WeakMap([[config.serializer, importerOf(subject, config, hasFixedValues)]])
  return serializer => {
    let importer = importers.get(serializer)
    if (!importer) {
      importer = importerOf(subject, { ...config, serializer }, hasFixedValues)
      importers.set(serializer, importer)
    }
    return importer
  }
}

function importerOf(subject: string, config: ImporterConfig, hasFixedValues: boolean): Importer {
  const { model, serializer, importFileConfig, importTransforms = {}, importExamples, exportFieldConfig = {} } = config
  const service = new ImportService(importFileConfig, {
    // The plan checks the names in these.
    transforms: importTransforms as ImportTransforms,
    model,
    serializer,
    hasFixedValues,
    headers: exportFieldConfig,
    // The size of an upload is limited while it arrives.
    limits: { maxBytes: Number.POSITIVE_INFINITY },
    subject: `${subject}: importFileConfig`,
  })
  const chosen = chosenExamples(subject, service.plan, importExamples as ImportExamples | undefined)
  return {
    service,
    chosen,
    async template(format, queryset) {
      return importTemplate(service.plan, await service.examples(chosen, queryset), format)
    },
  }
}
