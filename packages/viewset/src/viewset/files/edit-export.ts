import { fileName } from '../../core/content-disposition.ts'
import { type FieldErrors, ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import type { ExportRequest } from '../../exporting/export-request.ts'
import { type ExportService, timeStamp } from '../../exporting/export-service.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { xlsxWriter } from '../../tabular/xlsx/write.ts'
import { Download } from '../answer/reply.ts'
import { askPermissions } from '../door.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { viewForAction } from '../make-view.ts'
import { FileImportMixin } from '../mixins/file-import-mixin.ts'
import { isOperator } from '../reading/hidden-fields.ts'
import type { ResourceDefinition } from '../resource/resource.ts'
import { importerFor } from './importer.ts'
import { mayDelete } from './marked-deletions.ts'
import { resourceHooks } from './resource-hooks.ts'

/** What an export for editing has no use for: its columns are those of the import. */
const OTHER_COLUMNS = ['includes', 'column_config', 'data', 'title', 'delimiter', 'locale']

/** Whether files of a resource can be edited and imported again. */
export function isEditable(resource: Pick<ResourceDefinition, 'states' | 'config'>): boolean {
  const importers = FileImportMixin.own(resource)
  return importers?.(resource.config.serializer).service.isEditable ?? false
}

/**
 * Who gets a file for editing may import it again.
 *
 * @throws ValidationError for a resource without an import of workbooks, for another format, and for columns
 * @throws NotAuthenticated, PermissionDenied for a user who may not import
 */
export async function checkEditing(view: GenericViewSet, { options, sent, data }: ExportRequest): Promise<void> {
  const errors: FieldErrors = {}
  if (!isEditable(view.definition)) errors.for_editing = [message('invalid_edit_file.no_import')]
  else if (options.fileType !== 'xlsx') errors.file_type = [message('invalid_edit_file.format')]
  const others = { ...sent, ...(data.length > 0 && { data }) }
  for (const name of OTHER_COLUMNS) {
    if ((Reflect.get(others, name) ?? null) !== null) errors[name] = [message('invalid_edit_file.own_columns')]
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors)
  if (isOperator(view)) return
  await askPermissions('checkImportPermissions')(viewForAction(view, { action: 'importFile', method: 'POST' }))
}

/**
 * The list as a workbook to edit and to import again.
 *
 * @param readOnly its columns that the import does not write are in the file, too
 * @throws as {@link checkEditing}
 */
export async function exportForEditing(
  view: GenericViewSet,
  request: ExportRequest,
  readOnly: ExportService<ModelSerializer>,
): Promise<Download> {
  await checkEditing(view, request)
  const queryset = await view.filterQueryset(await view.getQueryset())
  const { service } = importerFor(view, FileImportMixin.own(view.definition))
  const { signal } = view.request
  const options = { settings: view.settings, hooks: resourceHooks(view), deletable: await mayDelete(view), readOnly }
  const stream = service.exportForEditing(queryset, { ...options, ...(signal && { signal }) })
  const { contentType, extension } = xlsxWriter()
  const { filename = `${view.definition.model.name}_${timeStamp()}` } = request.options
  return new Download({ filename: fileName(filename, extension), contentType, stream, isWorded: true })
}
