import { AllowAny, BaseModelSerializer, ReadOnlyViewSet } from 'viewset'
import { modelInfo, searchIndexStatements } from 'viewset/internal'
import { expect, test } from 'vitest'
import { useApi } from '../../../viewset/test/support/api.ts'
import { describeDialects } from '../../../viewset/test/support/dialects.ts'
import { adviceFor } from '../../src/advice/index-advice.ts'
import { adviceSql } from '../../src/advice/print-advice.ts'

describeDialects('an index for search over a table beside one that is called as its parts are', dialect => {
  const { kit } = dialect
  const columns = () => ({ id: kit.uuid().primaryKey(), title: kit.text(), body: kit.text().notNull() })
  const notes = kit.table('notes', columns())
  const own = kit.table('notes_search', columns())
  const searched = kit.table('notes', columns(), t => [kit.searchIndex(t.body)])
  const resource = ReadOnlyViewSet({
    model: notes,
    serializer: BaseModelSerializer(notes, { fields: ['id', 'body'] }),
    permissionClasses: [AllowAny],
    searchFields: ['title', 'body'],
  })
  const api = useApi(dialect, { tables: { notes, own }, resources: { notes: resource } })
  const isSqlite = dialect.name === 'sqlite'

  test('is not advised where it would take the place of that table', async () => {
    const advice = await adviceFor({ resources: { notes: resource } }, api.database, 0)
    const sql = adviceSql(advice)
    expect(sql.toLowerCase()).not.toContain('drop')
    // Once, however many fields are searched.
    if (isSqlite) expect(advice.notes.filter(note => note.includes('makes "notes_search"'))).toHaveLength(1)
    else expect(sql).toContain('gin_trgm_ops')
  })

  test('nor where that one is an FTS5 table with texts of its own', async () => {
    if (!isSqlite) return
    const run = (text: string) => api.database.driver.run({ text }, [])
    await run('drop table notes_search')
    await run('create virtual table notes_search using fts5(body)')
    const advice = await adviceFor({ resources: { notes: resource } }, api.database, 0)
    expect(advice.notes.join()).toContain('another table of such a name')
    await run('drop table notes_search')
    expect(adviceSql(await adviceFor({ resources: { notes: resource } }, api.database, 0))).toContain('fts5')
    await run('create table notes_search (id text primary key, title text, body text not null)')
  })

  test('is refused for the models of a migration that have both', () => {
    const statements = () => searchIndexStatements([searched, own].map(modelInfo))
    if (isSqlite) expect(statements).toThrow(/notes.*"notes_search", and you have one of that name/)
    else expect(statements().after).toEqual([])
  })
})
