import { fileName } from '../../core/content-disposition.ts'
import { allValid, ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { required, setting, shared } from '../../core/setting-rules.ts'
import type { ImportFileConfig } from '../../importing/config.ts'
import type { ImportService } from '../../importing/import-service.ts'
import type { ImportPreview } from '../../importing/preview/import-preview.ts'
import type { ImportResult } from '../../importing/result.ts'
import type { SavedMapping } from '../../importing/saved/saved-mapping.ts'
import type { Model } from '../../model/kit.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { Download, type ListPage, type Reply } from '../answer/reply.ts'
import {
  describeImport,
  describePreview,
  describeTemplate,
  IMPORT_OPTIONS,
  IMPORT_PARAMETERS,
} from '../description/file-descriptions.ts'
import { importWithFailedRows } from '../files/failed-rows-reply.ts'
import { type ImportData, importReply, type PreviewData, previewData } from '../files/import-reply.ts'
import {
  type ImportRequest,
  type PreviewRequest,
  readImportRequest,
  readingOf,
  readPreviewRequest,
  readTemplateFormat,
} from '../files/import-request.ts'
import { importerFor, importersOf, keepsHistories } from '../files/importer.ts'
import { listenersOf } from '../files/listeners.ts'
import { resourceHooks } from '../files/resource-hooks.ts'
import { receiveUpload, resourceName, thenRemove, type Upload, withTemplate } from '../files/upload.ts'
import { enqueueJob } from '../jobs/enqueue-job.ts'
import { importJobOptions, keepUpload } from '../jobs/import-job.ts'
import type { JobData } from '../jobs/job-data.ts'
import { type RecordedFile, recordedImport } from '../jobs/recorded-import.ts'
import { fileFingerprint, sameFileWarning, withFileWarning } from '../jobs/same-file.ts'
import { describeDeletedMapping, describeMappings, describeSavedMapping } from '../mappings/mapping-description.ts'
import { deleteMapping, findMappings, mappingPage, saveMapping } from '../mappings/saved-mappings.ts'
import { defineMixin } from '../mixin.ts'
import type { SettingsOf } from '../mixin-types.ts'
import { type PermissionClass, requirePermissions } from '../permissions.ts'

declare module '../mixin-types.ts' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    FileImportMixin: {
      config: {
        /** Who may import, in addition to `permissionClasses`. */
        readonly importPermissionClasses?: readonly PermissionClass[]
        /** Who may undo an import, in addition to `permissionClasses`. Default: who may import. */
        readonly undoPermissionClasses?: readonly PermissionClass[]
        /** The models and columns of the file. The resource's own model must be among its models. */
        readonly importFileConfig: ImportFileConfig
        /** Functions that change cells before they are read, by field or source field. */
        readonly importTransforms?: object
        /** Values for the example rows of the template, by model and field. Default: an example of the field's type. */
        readonly importExamples?: object
        /** A job imports files from this size in bytes, even if the client does not ask for one. Default: none. */
        readonly importBackgroundFrom?: number
      }
      methods: {
        /** The result; with `failed_rows`, a file of the failed rows; in the background, the job. */
        importFile(): Promise<Reply<ImportData | Download | JobData>>
        /** Imports the file at `path`, which is removed afterwards. */
        performImport(path: string, request: ImportRequest): Promise<ImportResult>
        /** The import service for this request. */
        getImportService(): Promise<ImportService>
        importPreview(): Promise<PreviewData>
        /** Previews the file at `path`, which is removed afterwards. Nothing is stored. */
        performPreview(path: string, request: PreviewRequest): Promise<ImportPreview>
        importTemplate(): Promise<Download>
        /** The saved mappings that the user sees. */
        importMappings(): Promise<ListPage>
        /** Saves the mapping in the body. */
        saveImportMapping(): Promise<SavedMapping>
        /** Deletes the mapping that the path names. */
        deleteImportMapping(): Promise<void>
        /** Runs before an import, a preview and the template, after the permissions of the resource. */
        checkImportPermissions(): Promise<void>
        /** Runs before an import is undone, after the permissions of the resource. */
        checkUndoPermissions(): Promise<void>
      }
    }
  }
}

const IMPORT_PERMISSIONS = {
  check: 'checkImportPermissions',
  classes: ({ importPermissionClasses }: Pick<SettingsOf<'FileImportMixin'>, 'importPermissionClasses'>) =>
    importPermissionClasses,
}

/**
 * `POST /resource/import-from-file/`, its preview `.../import-preview/`, and the template of the file. If the API has
 * the option `importMappings`, `/resource/import-mappings/` saves, lists and deletes mappings.
 */
export const FileImportMixin = defineMixin('FileImportMixin', {
  settings: {
    importPermissionClasses: shared(setting.permissions),
    undoPermissionClasses: shared(setting.permissions),
    importFileConfig: required(setting.any, 'describe the file and its models'),
    importTransforms: setting.any,
    importExamples: setting.any,
    importBackgroundFrom: shared(setting.wholeNumber),
  },
  define: resource => importersOf(resource, resource.config),
  routes: [
    {
      method: 'POST',
      path: '/import-from-file/',
      action: 'importFile',
      status: 201,
      readsBody: true,
      // The service begins a transaction for each chunk, or one for all.
      writes: false,
      permissions: IMPORT_PERMISSIONS,
      describes: ({ config, names }, importers) => describeImport(importers(config.serializer), names),
    },
    {
      method: 'POST',
      path: '/import-preview/',
      action: 'importPreview',
      readsBody: true,
      writes: false,
      permissions: IMPORT_PERMISSIONS,
      // A client may send the form of the import to both.
      tolerates: () => IMPORT_OPTIONS,
      describes: ({ config, names }, importers) => describePreview(importers(config.serializer), names),
    },
    {
      method: 'GET',
      path: '/import-template/',
      action: 'importTemplate',
      permissions: IMPORT_PERMISSIONS,
      describes: ({ config, names }, importers) => describeTemplate(importers(config.serializer), names),
    },
    {
      method: 'GET',
      path: '/import-mappings/',
      action: 'importMappings',
      option: 'importMappings',
      permissions: IMPORT_PERMISSIONS,
      describes: ({ names }) => describeMappings(names),
    },
    {
      method: 'POST',
      path: '/import-mappings/',
      action: 'saveImportMapping',
      option: 'importMappings',
      status: 201,
      // Two requests at the same time cannot save one mapping too many.
      isolation: 'serializable',
      permissions: IMPORT_PERMISSIONS,
      describes: ({ names }) => describeSavedMapping(names),
    },
    {
      method: 'DELETE',
      path: '/import-mappings/:mapping/',
      action: 'deleteImportMapping',
      option: 'importMappings',
      status: 204,
      permissions: IMPORT_PERMISSIONS,
      describes: ({ names }) => describeDeletedMapping(names),
    },
  ],
  methods: (Base, mixin) =>
    class extends Base {
      async checkImportPermissions(): Promise<void> {
        await requirePermissions(this.config.importPermissionClasses ?? [], this)
      }

      async checkUndoPermissions(): Promise<void> {
        const { undoPermissionClasses } = this.config
        await (undoPermissionClasses ? requirePermissions(undoPermissionClasses, this) : this.checkImportPermissions())
      }

      async importFile(): Promise<Reply<ImportData | Download | JobData>> {
        // The route has checked this. Another action that imports has not.
        if (!mixin.isFinalAnswer(this, 'importFile')) await this.checkImportPermissions()
        const upload = await receiveUpload(this)
        const { path, remove } = upload
        return thenRemove(this.request, remove, async () => {
          const request = await this.#read(() => readImportRequest(upload, this.request), upload)
          if (this.keyed && request.failedRows) {
            throw new ValidationError({ failed_rows: [message('invalid_idempotency_key.file')] })
          }
          const fingerprint = await fileFingerprint(this, path)
          if (this.#isBackground(request)) return this.#enqueueImport(path, request, fingerprint)
          const warning = await sameFileWarning(this, fingerprint)
          const perform = async () =>
            withFileWarning(await this.#import(path, { request, fingerprint, warning }), warning)
          if (request.failedRows) return importWithFailedRows(this, path, request, perform)
          const result = await perform()
          const isUndone = request.dryRun || result.rolledBack || (!request.append && !result.success)
          if (this.keyed && isUndone) this.keyed.storesNothing = true
          return importReply(result, request)
        })
      }

      /** An import of models with a history is a job. */
      async #import(path: string, file: Omit<RecordedFile, 'parameters'>): Promise<ImportResult> {
        const perform = () => this.performImport(path, file.request)
        if (!this.#isUndoable(file.request)) return perform()
        return recordedImport(this, { ...file, parameters: IMPORT_PARAMETERS }, perform)
      }

      /** @throws ValidationError with all problems of the form */
      async #read<T extends object>(read: () => T, { fields, otherFiles }: Upload): Promise<Awaited<T>> {
        const names = [...fields.keys(), ...otherFiles]
        const [request] = await allValid(read, () => this.registered.parameters?.checkBody(names))
        return request
      }

      /** Whether all that the import writes has a history. */
      #isUndoable({ dryRun }: ImportRequest): boolean {
        return !dryRun && keepsHistories(mixin.own(this)(this.config.serializer))
      }

      #isBackground({ background, file }: ImportRequest): boolean {
        const { importBackgroundFrom = Number.POSITIVE_INFINITY } = this.config
        return background || file.size >= importBackgroundFrom
      }

      async #enqueueImport(
        path: string,
        request: ImportRequest,
        fingerprint: string | undefined,
      ): Promise<Reply<JobData>> {
        const service = await this.getImportService()
        try {
          // An unreadable file is refused now, and not later in the job.
          await service.check(path, { ...request, hooks: resourceHooks(this) })
        } catch (error) {
          throw withTemplate(error, this.request)
        }
        return enqueueJob(this, {
          kind: 'import',
          options: importJobOptions(request),
          parameters: IMPORT_PARAMETERS,
          fileName: request.file.filename,
          fingerprint: request.dryRun ? undefined : fingerprint,
          hasHistory: this.#isUndoable(request),
          keep: (jobs, id) => keepUpload(jobs, id, path),
        })
      }

      async performImport(path: string, request: ImportRequest): Promise<ImportResult> {
        const { append, dryRun, diff, allOrNothing, failOnWarnings, deleteMarked, onConflict } = request
        const service = await this.getImportService()
        const { signal } = this.request
        const queryset = await this.getQueryset()
        const hooks = resourceHooks(this)
        try {
          return await service.import(path, {
            append,
            dryRun,
            diff,
            allOrNothing,
            failOnWarnings,
            deleteMarked,
            ...(onConflict && { onConflict }),
            ...readingOf(request),
            queryset,
            hooks,
            settings: this.settings,
            ...(signal && { signal }),
            ...listenersOf(this),
          })
        } catch (error) {
          throw withTemplate(error, this.request)
        }
      }

      async importPreview(): Promise<PreviewData> {
        if (!mixin.isFinalAnswer(this, 'importPreview')) await this.checkImportPermissions()
        const upload = await receiveUpload(this)
        return thenRemove(this.request, upload.remove, async () => {
          const request = await this.#read(() => readPreviewRequest(upload, this.request), upload)
          const warning =
            this.registered.jobs && (await sameFileWarning(this, await fileFingerprint(this, upload.path)))
          return previewData(withFileWarning(await this.performPreview(upload.path, request), warning))
        })
      }

      async performPreview(path: string, request: PreviewRequest): Promise<ImportPreview> {
        const service = await this.getImportService()
        const { signal } = this.request
        const finder = findMappings(this)
        return service.preview(path, {
          queryset: await this.getQueryset(),
          hooks: resourceHooks(this),
          settings: this.settings,
          ...(finder && { findMappings: finder }),
          ...readingOf(request),
          ...(signal && { signal }),
        })
      }

      async getImportService(): Promise<ImportService> {
        return importerFor(this, mixin.own(this)).service
      }

      async importTemplate(): Promise<Download> {
        if (!mixin.isFinalAnswer(this, 'importTemplate')) await this.checkImportPermissions()
        const { service, template } = importerFor(this, mixin.own(this))
        const format = readTemplateFormat(this.request, service.plan)
        const { contentType, extension, file } = await template(format, await this.getQueryset())
        const filename = fileName(`${resourceName(this.request)}_template`, extension)
        return new Download({ filename, contentType, stream: file, isWorded: true })
      }

      async importMappings(): Promise<ListPage> {
        return mappingPage(this)
      }

      async saveImportMapping(): Promise<SavedMapping> {
        return saveMapping(this)
      }

      async deleteImportMapping(): Promise<void> {
        await deleteMapping(this)
      }
    },
})
