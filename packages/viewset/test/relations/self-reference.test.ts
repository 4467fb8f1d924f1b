import { AllowAny, BulkViewSet } from 'viewset'
import { test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectSuccess, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

describeDialects('a record that refers to itself', dialect => {
  const tables = models(dialect.kit)
  const { comments } = tables
  const api = useApi(dialect, {
    tables,
    resources: {
      comments: BulkViewSet({
        model: comments,
        serializer: serializers(tables).CommentSerializer,
        permissionClasses: [AllowAny],
      }),
    },
  })
  const data = { id: uuid(3), article: uuid(2), parent: uuid(3), text: 'Hear, hear' }

  test('can be updated without a change, alone and in bulk', async () => {
    await seed(api.database, tables, {
      authors: [{ id: uuid(1), name: 'Ada' }],
      articles: [{ id: uuid(2), title: 'Engines', author: uuid(1) }],
      comments: [data],
    })
    expectSuccess(await api.patch(`/comments/${uuid(3)}/`, {}), 200, { data })
    expectSuccess(await api.patch('/comments/bulk-update/', [{ id: uuid(3) }]), 200, { data: [data] })
  })
})
