import { allValid, ValidationError } from '../../core/errors.ts'
import { message, type Text } from '../../core/messages/message.ts'
import { setting, shared } from '../../core/setting-rules.ts'
import { shorten } from '../../core/text.ts'
import { labelOf } from '../../exporting/export-columns.ts'
import { type ExportRequest, readExportRequest } from '../../exporting/export-request.ts'
import type { ExportService, ExportSettings } from '../../exporting/export-service.ts'
import type { Model } from '../../model/kit.ts'
import { ComputedOrderingFilter } from '../../query/computed-ordering-filter.ts'
import { parametersOf } from '../../query/filter-backends.ts'
import type { QueryParameters } from '../../query/query-parameters.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { isObject } from '../../serializer/relations/relation-schema.ts'
import { Download, type Reply } from '../answer/reply.ts'
import { BACKGROUND, describeExport, jobSchema } from '../description/file-descriptions.ts'
import { checkEditing, exportForEditing, isEditable } from '../files/edit-export.ts'
import { exporterOf } from '../files/exporter.ts'
import { listenersOf } from '../files/listeners.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { enqueueJob, readOption } from '../jobs/enqueue-job.ts'
import { exportJobOptions, keepRows } from '../jobs/export-job.ts'
import type { JobData } from '../jobs/job-data.ts'
import { defineMixin } from '../mixin.ts'
import type { SettingsOf } from '../mixin-types.ts'
import { type PermissionClass, requirePermissions } from '../permissions.ts'
import { choiceKey } from '../reading/choice-setting.ts'
import { chosenForFile, fileParameters } from '../reading/chosen-fields.ts'
import { hiddenFields } from '../reading/hidden-fields.ts'
import type { ResourceDefinition } from '../resource/resource.ts'
import { FilterModelMixin } from './filter-model-mixin.ts'
import { pageParameters } from './list-model-mixin.ts'

declare module '../mixin-types.ts' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    FileExportMixin: {
      config: ExportSettings<M, S> & {
        /** Who may export, in addition to `permissionClasses`. */
        readonly exportPermissionClasses?: readonly PermissionClass[]
        /** Whether a client may send its own rows for the file. Default true. */
        readonly allowExportData?: boolean
      }
      methods: {
        export(): Promise<Download>
        /** Answers with a job that will make the file, if the request asks for one. */
        exportLater(): Promise<Reply<JobData> | undefined>
        /** Runs before an export, after the permissions of the resource. */
        checkExportPermissions(): Promise<void>
      }
    }
  }
}

const EXPORT_PERMISSIONS = {
  check: 'checkExportPermissions',
  classes: ({ exportPermissionClasses }: Pick<SettingsOf<'FileExportMixin'>, 'exportPermissionClasses'>) =>
    exportPermissionClasses,
}

/** `POST /resource/export/`: the list, or rows of the client, as a file. */
export const FileExportMixin = defineMixin('FileExportMixin', {
  extends: [FilterModelMixin],
  settings: {
    exportFieldConfig: { ...setting.object, expected: 'must give headers by field, as in { title: "Title" }' },
    exportPermissionClasses: shared(setting.permissions),
    exportFormats: shared(setting.any),
    allowExportData: shared(setting.boolean),
    csvBom: shared(setting.any),
    csvDelimiter: shared(setting.any),
    csvLocale: shared(setting.any),
    pdfOptions: shared(setting.any),
  },
  define: ({ subject, config }) => exporterOf(subject, config),
  routes: [
    // A POST has a body. The action only reads, so it needs no transaction.
    {
      method: 'POST',
      path: '/export/',
      action: 'export',
      before: 'exportLater',
      writes: false,
      reads: true,
      permissions: EXPORT_PERMISSIONS,
      // A client may send the query of its page. The export has all pages.
      tolerates: pageParameters,
      describes: (resource, exporter) => ({
        ...describeExport(exporter(resource.config.serializer), { ...resource, isEditable: isEditable(resource) }),
        accepted: jobSchema(),
        query: { ...queryOf(resource), background: BACKGROUND },
      }),
    },
  ],
  methods: (Base, mixin) =>
    class extends Base {
      async checkExportPermissions(): Promise<void> {
        await requirePermissions(this.config.exportPermissionClasses ?? [], this)
      }

      async exportLater(): Promise<Reply<JobData> | undefined> {
        if (!readOption(this.request, 'background')) return undefined
        const request = await exportRequestOf(this)
        const { options, data, sent } = request
        // Invalid options are refused now, and not later in the job.
        checkRows(data, this.config)
        if (request.forEditing) await checkEditing(this, request)
        mixin.own(this)(this.getSerializer(), hiddenFields(this), chosenForFile(this)).check(options)
        await this.filterQueryset(await this.getQueryset())
        return enqueueJob(this, {
          kind: 'export',
          options: exportJobOptions(sent, data.length),
          parameters: Object.keys(queryOf(this.definition)),
          keep: (jobs, id) => keepRows(jobs, id, data),
        })
      }

      /** @internal */
      override exportOfReader(): ExportService<ModelSerializer> {
        return mixin.own(this)(this.getSerializer(), hiddenFields(this))
      }

      async export(): Promise<Download> {
        // The route has checked this. Another action that exports has not.
        if (!mixin.isFinalAnswer(this, 'export')) await this.checkExportPermissions()
        const request = await exportRequestOf(this)
        const { options, data } = request
        checkRows(data, this.config)
        if (request.forEditing) return exportForEditing(this, request, this.exportOfReader())
        const source = data.length > 0 ? data : await this.filterQueryset(await this.getQueryset())
        const warnings: Text[] = []
        const { onExportProgress: onProgress } = listenersOf(this)
        const file = mixin
          .own(this)(this.getSerializer(), hiddenFields(this), chosenForFile(this))
          .export(source, {
            ...options,
            ...(data.length === 0 && { filters: filtersOf(this) }),
            signal: this.request.signal,
            onProgress,
            onWarning: ({ text }) => warnings.push(text),
          })
        return new Download({ ...file, warnings, isWorded: options.fileType === 'pdf' })
      }
    },
})

/** The query parameters that say what a file has. */
function queryOf(resource: Pick<ResourceDefinition, 'states'>): QueryParameters {
  return { ...parametersOf(FilterModelMixin.own(resource)()), ...fileParameters(choiceKey.of(resource)) }
}

const MOST_VALUES = 5

/** `Status: published, Search: engines` */
function filtersOf({ request, definition }: GenericViewSet): string {
  const filters = FilterModelMixin.own(definition)().filter(filter => !(filter instanceof ComputedOrderingFilter))
  return Object.keys(parametersOf(filters))
    .flatMap(name => {
      const values = [request.query[name] ?? []].flat().filter(value => value !== '')
      const shown = values.slice(0, MOST_VALUES).map(shorten)
      return shown.length > 0 ? [`${labelOf(name)}: ${shown.join(', ')}`] : []
    })
    .join('; ')
}

function checkRows(data: readonly unknown[], { allowExportData }: { readonly allowExportData?: boolean }): void {
  if (data.length === 0 || allowExportData !== false) return
  throw new ValidationError({ data: [message('own_rows_only')] })
}

async function exportRequestOf({ request, settings, registered }: GenericViewSet): Promise<ExportRequest> {
  const { body } = request
  const [valid] = await allValid(
    () => readExportRequest(body, settings),
    () => registered.parameters?.checkBody(isObject(body) ? Object.keys(body) : []),
  )
  return valid
}
