import { fileName } from '../../core/content-disposition.ts'
import { currentContext } from '../../core/context.ts'
import { ValidationError } from '../../core/errors.ts'
import type { ImportService } from '../../importing/import-service.ts'
import type { ImportResult } from '../../importing/result.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { type ImportData, importReply } from '../import/import-reply.ts'
import { type ImportRequest, readImportRequest } from '../import/import-request.ts'
import type { Importer, Importers } from '../import/importer.ts'
import { resourceHooks } from '../import/resource-hooks.ts'
import { readTemplateFormat } from '../import/template-request.ts'
import { defineMixin } from '../mixin.ts'
import { requirePermissions } from '../permissions.ts'
import { Download, type Reply } from '../reply.ts'
import { receiveUpload } from '../upload/receive-upload.ts'

type ImportView = GenericViewSet & {
  getImportService(): Promise<ImportService>
  performImport(path: string, request: ImportRequest): Promise<ImportResult>
}

/** `POST /resource/import-from-file/` and the template for it, `GET /resource/import-template/`. */
export const FileImportMixin = defineMixin('FileImportMixin', {
  settings: ['importFileConfig', 'importTransforms', 'importExamples', 'importPermissionClasses'],
  routes: [
    // The service decides what is one transaction: a chunk, or all.
    {
      method: 'POST',
      path: '/import-from-file/',
      action: 'importFile',
      status: 201,
      streams: true,
      writes: false,
      prepare: checkImportPermissions,
    },
    { method: 'GET', path: '/import-template/', action: 'importTemplate', prepare: checkImportPermissions },
  ],
  methods: {
    async importFile(this: ImportView): Promise<Reply<ImportData>> {
      const { IMPORT_MAX_FILE_SIZE, STALL_TIMEOUT, UPLOAD_TIMEOUT } = currentContext().settings.COMMON
      const upload = await receiveUpload(this.request, {
        maxFileSize: IMPORT_MAX_FILE_SIZE,
        stallTimeout: STALL_TIMEOUT,
        timeout: UPLOAD_TIMEOUT,
      })
      try {
        const request = readImportRequest(upload)
        return importReply(await this.performImport(upload.path, request), request)
      } catch (error) {
        throw this.request.signal?.aborted ? new ValidationError('Nobody waits for the answer any more.') : error
      } finally {
        await upload.remove()
      }
    },

    async performImport(this: ImportView, path: string, { append, dryRun }: ImportRequest): Promise<ImportResult> {
      const service = await this.getImportService()
      const { signal } = this.request
      const queryset = await this.getQueryset()
      try {
        return await service.import(path, {
          append,
          dryRun,
          queryset,
          hooks: resourceHooks(this),
          ...(signal && { signal }),
        })
      } catch (error) {
        throw withTemplate(error, this)
      }
    },

    async getImportService(this: GenericViewSet): Promise<ImportService> {
      return importerOfView(this).service
    },

    async importTemplate(this: GenericViewSet): Promise<Download> {
      const { service, template } = importerOfView(this)
      const { contentType, extension, file } = await template(
        readTemplateFormat(this.request, service.plan),
        await this.getQueryset(),
      )
      return new Download({
        filename: fileName(`${resourceName(this.request)}_template`, extension),
        contentType,
        stream: file,
      })
    },
  },
})

async function checkImportPermissions(view: GenericViewSet): Promise<void> {
  await requirePermissions(view.config.importPermissionClasses ?? [], view)
}

/** A class with this mixin has it: it could not have been made without. */
function importerOfView(view: GenericViewSet): Importer {
  return (view.definition.importers as Importers)(view.getSerializer())
}

/** The resource as its address has it, which no two of an application share as they may a table. */
function resourceName({ path }: GenericViewSet['request']): string {
  return decodeURIComponent(path.split('/').filter(Boolean).at(-2) ?? '')
}

/** Who sends a file that is none of ours is told where to get one that is. */
function withTemplate(error: unknown, { request }: GenericViewSet): unknown {
  if (!(error instanceof ValidationError && error.errors?.file)) return error
  const address = request.origin + request.path.replace(/import-from-file\/?$/, 'import-template/')
  return new ValidationError(error.errors, `${error.message} The template is at ${address}`)
}
