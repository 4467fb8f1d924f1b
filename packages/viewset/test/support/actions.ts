import { AllowAny, BaseViewSet, createRecord, findRecords } from 'viewset'
import { type ApiOptions, useApi } from './api.ts'
import type { TestDialect } from './dialects.ts'
import { models, users } from './models.ts'
import { serializers } from './serializers.ts'

/** An API over authors with two custom actions, whose handlers a test brings along. */
export function useActions(dialect: TestDialect, options: Pick<ApiOptions, 'server'> = {}) {
  const tables = models(dialect.kit)
  const { authors } = tables
  const handlers: (() => Promise<unknown>)[] = []
  const action = {
    detail: false,
    handler: ({ query }: { readonly query: { readonly handler?: unknown } }) => handlers[Number(query.handler)]?.(),
  } as const
  const api = useApi(dialect, {
    tables,
    users,
    ...options,
    resources: {
      authors: BaseViewSet({
        model: authors,
        serializer: serializers(tables).AuthorReference,
        permissionClasses: [AllowAny],
        actions: { run: { method: 'POST', ...action }, read: { method: 'GET', ...action } },
      }),
    },
  })
  const pathOf = (name: string, handler: () => Promise<unknown>) =>
    `/authors/${name}/?handler=${handlers.push(handler) - 1}`
  return {
    api,
    tables,
    authors,
    /** Runs `handler` as an action that writes; the user is ann. */
    run: (handler: () => Promise<unknown>) => api.post(pathOf('run', handler), undefined, { as: 'ann' }),
    /** Runs `handler` as an action that reads. */
    read: (handler: () => Promise<unknown>) => api.get(pathOf('read', handler)),
    /** For handlers: stores an author. */
    create: (name: string) => createRecord(authors, { name }),
    /** The names of the authors that are stored for everybody to see. */
    names: () => api.database.use(async () => (await findRecords(authors)).map(({ name }) => name).toSorted()),
  }
}
