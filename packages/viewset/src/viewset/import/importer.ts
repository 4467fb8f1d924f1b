import type { ImportFileConfig, ImportTransforms } from '../../importing/config.ts'
import { ImportService } from '../../importing/import-service.ts'
import type { ImportServiceOptions } from '../../importing/options.ts'
import { chosenExamples, type ImportExamples } from '../../importing/template/examples.ts'
import { importTemplate, type Template, type TemplateFormat } from '../../importing/template/template.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { QuerySet } from '../../store/queryset.ts'
import type { ResourceConfig, ResourceDefinition } from '../resource.ts'

/** The settings of an import, as the implementation reads them. */
export interface ImporterConfig extends ResourceConfig {
  readonly importFileConfig: ImportFileConfig
  readonly importTransforms?: object
  readonly importExamples?: object
  /** What was exported can be imported again, by these headers. */
  readonly exportFieldConfig?: ImportServiceOptions['headers']
}

/** What is the same for all imports of a resource. */
export interface Importer {
  readonly service: ImportService
  /** With a queryset, its examples refer to records that are stored. */
  template(format: TemplateFormat, queryset?: QuerySet): Promise<Template>
}

/** Imports by the rules of a serializer; a view may have another one than its resource. */
export type Importers = (serializer: ModelSerializer) => Importer

/** @throws ConfigError for an import setting that cannot be met. */
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
    // What the names in these must be, the plan knows and checks.
    transforms: importTransforms as ImportTransforms,
    model,
    serializer,
    hasFixedValues,
    // What was exported can be imported again.
    headers: exportFieldConfig,
    // The size of an upload is limited where it arrives.
    limits: { maxBytes: Number.POSITIVE_INFINITY },
    subject: `${subject}: importFileConfig`,
  })
  const chosen = chosenExamples(subject, service.plan, importExamples as ImportExamples | undefined)
  return {
    service,
    async template(format, queryset) {
      return importTemplate(service.plan, await service.examples(chosen, queryset), format)
    },
  }
}
