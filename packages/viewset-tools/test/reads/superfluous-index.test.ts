import { AllowAny, BaseModelSerializer, ReadOnlyViewSet } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../../../viewset/test/support/api.ts'
import { describeDialects } from '../../../viewset/test/support/dialects.ts'
import { adviceFor } from '../../src/advice/index-advice.ts'

describeDialects('advice on indexes beside others', dialect => {
  const { kit } = dialect
  const logs = kit.table('logs', {
    id: kit.integer().primaryKey(),
    name: kit.text(50).notNull(),
    email: kit.text(50),
  })
  const resource = ReadOnlyViewSet({
    model: logs,
    serializer: BaseModelSerializer(logs, { fields: ['id', 'name', 'email'] }),
    permissionClasses: [AllowAny],
    ordering: 'name',
  })
  const api = useApi(dialect, { tables: { logs }, resources: { logs: resource } })
  const run = (text: string) => api.database.driver.run({ text }, [])
  const superfluous = async () => {
    const { tables } = await adviceFor({ resources: { logs: resource } }, api.database, 0)
    return tables.flatMap(({ indexes }) => indexes.flatMap(({ replaces }) => replaces))
  }

  test('calls one superfluous that only finds rows, and none that tells more than it is ordered by', async () => {
    await run('create index finding on logs (name)')
    // On SQLite an integer key ends each entry, so that index is all that is needed.
    expect(await superfluous()).toEqual(dialect.name === 'pg' ? ['finding'] : [])
    await run('drop index finding')
    if (dialect.name === 'pg') await run('create index covering on logs (name) include (email)')
    expect(await superfluous()).toEqual([])
  })
})
