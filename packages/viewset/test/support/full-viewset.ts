import { BulkImportableViewSet, BulkRestoreModelMixin, BulkUpsertModelMixin } from 'viewset'

/** Every action that the package has. */
export const FullViewSet = BulkImportableViewSet.add(BulkUpsertModelMixin, BulkRestoreModelMixin)
