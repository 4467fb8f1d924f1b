import { BulkImportableViewSet, BulkRestoreModelMixin, BulkUpsertModelMixin, RestoreModelMixin } from 'viewset'

/** Every action that the package has. */
export const FullViewSet = BulkImportableViewSet.add(BulkUpsertModelMixin, RestoreModelMixin, BulkRestoreModelMixin)
