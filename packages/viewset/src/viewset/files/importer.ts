import { PermissionDenied } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import type { ImportFileConfig, ImportTransforms } from '../../importing/config.ts'
import { ImportService } from '../../importing/import-service.ts'
import type { ImportServiceOptions } from '../../importing/options.ts'
import { modelsWrittenBy } from '../../importing/plan/written-models.ts'
import { chosenExamples, type ImportExamples } from '../../importing/template/examples.ts'
import type { Examples } from '../../importing/template/source.ts'
import { importTemplate, type Template, type TemplateFormat } from '../../importing/template/template.ts'
import { historyOf } from '../../model/history.ts'
import { refusedFields, wholeOf } from '../../serializer/for-user.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { QuerySet } from '../../store/queryset.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { type HiddenFields, hiddenFields } from '../reading/hidden-fields.ts'
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

/** Makes the import of a serializer for a reader. */
export type Importers = (serializer: ModelSerializer, hidden?: HiddenFields) => Importer

export function importersOf(resource: ResourceDefinition, config: ImporterConfig): Importers {
  const { subject, fixedValues } = resource
  const hasFixedValues = config.fixedValues !== undefined || fixedValues.length > 0
  const standard = importerOf(subject, config, hasFixedValues)
  const importers = new WeakMap<ModelSerializer, WeakMap<object, Importer>>()
  return (serializer, hidden) => {
    if (serializer === config.serializer && (!hidden || hidden.isEmpty)) return standard
    const ofSerializer = importers.get(serializer) ?? new WeakMap<object, Importer>()
    importers.set(serializer, ofSerializer)
    const reader = hidden ?? ofSerializer
    const importer =
      ofSerializer.get(reader) ??
      importerOf(
        subject,
        { ...config, serializer },
        hasFixedValues,
        withoutLists(config.serializer, serializer, hidden),
      )
    ofSerializer.set(reader, importer)
    return importer
  }
}

/** To an import, a list that another serializer of the resource lacks is like one that the user may not see. */
function withoutLists(
  own: ModelSerializer,
  other: ModelSerializer,
  hidden: HiddenFields | undefined,
): Importable | undefined {
  const names = new Set(wholeOf(other).fields.map(({ key }) => key))
  const lists = wholeOf(own).fields.flatMap(({ kind, key }) => (kind === 'many' && !names.has(key) ? [key] : []))
  if (lists.length === 0) return hidden
  const hidesPath = (path: string) => lists.includes(path) || (hidden?.hidesPath(path) ?? false)
  return { isEmpty: false, hidesPath }
}

/** @throws PermissionDenied if the rows need a column that the reader may not read */
export function importerFor(view: GenericViewSet, importers: Importers): Importer {
  const importer = importers(view.getSerializer(), withoutRefused(view))
  if (importer.service.needsHidden) throw new PermissionDenied(message('permission_denied.hidden_columns'))
  return importer
}

const narrowed = new WeakMap<HiddenFields, WeakMap<ModelSerializer, HiddenFields>>()

/** To an import, a field that the user may not write is like one that the user may not see. */
function withoutRefused(view: GenericViewSet): HiddenFields {
  const hidden = hiddenFields(view)
  const own = view.getSerializer()
  const refused = refusedFields(own)
  if (refused.size === 0) return hidden
  const known = narrowed.get(hidden) ?? new WeakMap<ModelSerializer, HiddenFields>()
  narrowed.set(hidden, known)
  const isRefused = (path: string) => refused.has(path.split('__')[0] ?? '')
  const made = known.get(own) ?? {
    ...hidden,
    isEmpty: false,
    hidesPath: path => isRefused(path) || hidden.hidesPath(path),
  }
  known.set(own, made)
  return made
}

/** Whether all that an import writes has a history. */
export function keepsHistories({ service }: Importer): boolean {
  return service.plan.models.flatMap(modelsWrittenBy).every(({ model }) => historyOf(model.table))
}

type Importable = Pick<HiddenFields, 'isEmpty' | 'hidesPath'>

function importerOf(subject: string, config: ImporterConfig, hasFixedValues: boolean, hidden?: Importable): Importer {
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
    ...(hidden && !hidden.isEmpty && { isHidden: path => hidden.hidesPath(path) }),
  })
  const examples = hidden ? ofPlan(service, importExamples) : importExamples
  const chosen = chosenExamples(subject, service.plan, examples as ImportExamples | undefined)
  return {
    service,
    chosen,
    async template(format, queryset) {
      const examples = await service.examples(chosen, queryset)
      const choices = queryset && format === 'xlsx' ? await service.choices(queryset) : undefined
      return importTemplate(service.plan, { examples, choices }, format)
    },
  }
}

/** The examples of the columns that a reader's file has. The start has checked the names of all. */
function ofPlan({ plan }: ImportService, examples: object | undefined): object | undefined {
  if (!examples) return undefined
  const ofModels = plan.models.map(({ key, columns }) => {
    const names = new Set(columns.map(({ name }) => name))
    const ofModel: object = Reflect.get(examples, key) ?? {}
    return [key, Object.fromEntries(Object.entries(ofModel).filter(([name]) => names.has(name)))]
  })
  return Object.fromEntries(ofModels)
}
