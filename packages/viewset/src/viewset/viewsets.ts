import { compose } from './built-in.ts'
import { BulkCreateModelMixin } from './mixins/bulk-create-model-mixin.ts'
import { BulkDeleteModelMixin, BulkHardDeleteModelMixin } from './mixins/bulk-delete-model-mixin.ts'
import { BulkUpdateModelMixin } from './mixins/bulk-update-model-mixin.ts'
import { CreateModelMixin } from './mixins/create-model-mixin.ts'
import { DestroyModelMixin } from './mixins/destroy-model-mixin.ts'
import { FileExportMixin } from './mixins/file-export-mixin.ts'
import { FileImportMixin } from './mixins/file-import-mixin.ts'
import { ListModelMixin } from './mixins/list-model-mixin.ts'
import { RetrieveModelMixin } from './mixins/retrieve-model-mixin.ts'
import { UpdateModelMixin } from './mixins/update-model-mixin.ts'

/** Create, list, retrieve, update, destroy and file export. */
export const BaseViewSet = compose(
  CreateModelMixin,
  ListModelMixin,
  RetrieveModelMixin,
  UpdateModelMixin,
  DestroyModelMixin,
  FileExportMixin,
)
/** BaseViewSet and bulk create, update, delete and soft delete; bulk upsert and restore can be added. */
export const BulkViewSet = BaseViewSet.add(BulkCreateModelMixin, BulkUpdateModelMixin, BulkDeleteModelMixin)
/** List, retrieve and file export. */
export const ReadOnlyViewSet = compose(ListModelMixin, RetrieveModelMixin, FileExportMixin)
/** Create, list and file export. */
export const CreateListViewSet = compose(CreateModelMixin, ListModelMixin, FileExportMixin)
/** BaseViewSet and file import. */
export const ImportableViewSet = BaseViewSet.add(FileImportMixin)
/** BulkViewSet and file import. */
export const BulkImportableViewSet = BulkViewSet.add(FileImportMixin)
/** Bulk create only. */
export const BulkCreateViewSet = compose(BulkCreateModelMixin)
/** Bulk update only. */
export const BulkUpdateViewSet = compose(BulkUpdateModelMixin)
/** Bulk delete only, without soft delete. */
export const BulkDeleteViewSet = compose(BulkHardDeleteModelMixin)
/** Bulk create, update and delete. */
export const BulkOnlyViewSet = compose(BulkCreateModelMixin, BulkUpdateModelMixin, BulkHardDeleteModelMixin)
