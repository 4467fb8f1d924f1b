import { ValidationError } from '../../core/errors.ts'
import { readExportRequest } from '../../exporting/export-request.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { defineMixin } from '../mixin.ts'
import { requirePermissions } from '../permissions.ts'
import { Download } from '../reply.ts'

/** `POST /resource/export/`: the list, or rows that the client brings along, as a file (SPEC, "Export endpoint"). */
export const FileExportMixin = defineMixin('FileExportMixin', {
  settings: [
    'exportFieldConfig',
    'exportPermissionClasses',
    'exportFormats',
    'allowExportData',
    'csvBom',
    'pdfOptions',
  ],
  // A POST for the sake of its body; it reads, so it waits for no other's transaction.
  routes: [{ method: 'POST', path: '/export/', action: 'export', writes: false, prepare: checkExportPermissions }],
  methods: {
    async export(this: GenericViewSet): Promise<Download> {
      const { options, data } = readExportRequest(this.request.body)
      if (data.length > 0 && this.config.allowExportData === false) {
        throw new ValidationError({ data: ['This resource exports its own rows only.'] })
      }
      const source = data.length > 0 ? data : await this.filterQueryset(await this.getQueryset())
      const warnings: string[] = []
      const file = this.definition.exporter(this.getSerializer()).export(source, {
        ...options,
        signal: this.request.signal,
        onWarning: ({ message }) => warnings.push(message),
      })
      return new Download({ ...file, warnings })
    },
  },
})

async function checkExportPermissions(view: GenericViewSet): Promise<void> {
  await requirePermissions(view.config.exportPermissionClasses ?? [], view)
}
