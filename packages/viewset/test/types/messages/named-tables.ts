// The same mistakes with a table that has a name of its own; named.txt has the compiler's words.
import { AllowAny, BaseModelSerializer, BaseViewSet, type ColumnKit, ImportableViewSet } from 'viewset'
import { models } from '../../support/models.ts'

declare const kit: ColumnKit
const tables = models(kit)
type AuthorsTable = typeof tables.authors
export interface Authors extends AuthorsTable {}
const authors: Authors = tables.authors
const serializer = BaseModelSerializer(authors, { fields: ['id', 'name', 'email'] })
const config = { model: authors, serializer, permissionClasses: [AllowAny] }

BaseViewSet({ model: authors, serializer })
BaseViewSet({ ...config, orderng: 'name' })
BaseViewSet({ ...config, ordering: '-nmae' })
BaseViewSet({ ...config, fixedValues: view => ({ email: view.request.params.email }) })
ImportableViewSet(config)
BaseModelSerializer(authors, { field: ['id'] })
