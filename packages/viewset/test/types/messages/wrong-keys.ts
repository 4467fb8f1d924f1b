// What the compiler says of a wrong key or value in a configuration; expected.txt has its words.
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  BulkViewSet,
  type ColumnKit,
  CreateModelMixin,
  compose,
  ImportableViewSet,
  ReadOnlyViewSet,
} from 'viewset'
import { models } from '../../support/models.ts'

declare const kit: ColumnKit
const { authors } = models(kit)
const serializer = BaseModelSerializer(authors, { fields: ['id', 'name', 'email'] })
const config = { model: authors, serializer, permissionClasses: [AllowAny] }

BaseViewSet({ ...config, orderng: 'name' })
BaseViewSet({ ...config, paginationClas: null })
ReadOnlyViewSet({ ...config, destroyStatus: 200 })
compose(CreateModelMixin)({ ...config, filterFields: ['name'] })
BaseViewSet({ ...config, destroyStatus: 201 })
BaseViewSet({ ...config, filterFields: ['nmae'] })
BaseViewSet({ ...config, exportFieldConfig: { nmae: 'Name' } })
BaseViewSet({ ...config, ordering: '-nmae' })
BulkViewSet({ ...config, upsertFields: ['email'] })
BaseViewSet({ model: authors, serializer })
BaseViewSet({ ...config, fixedValues: view => ({ email: view.request.params.email }) })
BaseViewSet({ ...config, fixedValues: () => ({ emial: 'x' }) })
ImportableViewSet(config)
BaseModelSerializer(authors, { fields: ['id', 'nmae'] })
BaseModelSerializer(authors, { field: ['id'] })
