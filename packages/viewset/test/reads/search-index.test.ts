import BetterSqlite from 'better-sqlite3'
import { and, type SQL, sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkViewSet,
  type ColumnKit,
  currentDb,
  IdToDataField,
  insertMany,
  QuerySet,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { foldCase } from '../../src/core/text.ts'
import { sqliteSearchIndex } from '../../src/model/dialect/sqlite-search.ts'
import { modelInfo } from '../../src/model/model-info.ts'
import { inAnyCase } from '../../src/query/lookups.ts'
import { searchIndexStatements } from '../../src/store/search-index.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { problemOf } from '../support/problem.ts'

function models(c: ColumnKit) {
  const towns = c.table('towns', { id: c.integer().primaryKey(), name: c.text(60).notNull() }, t => [
    c.searchIndex(t.name),
  ])
  const people = c.table(
    'people',
    {
      id: c.uuid().primaryKey(),
      name: c.text(60).notNull(),
      note: c.text({ collation: 'codepoint' }),
      email: c.text(60).unique(),
      town: c.foreignKey(towns),
    },
    t => [c.searchIndex(t.name, t.note)],
  )
  return { towns, people }
}

/** Letters with more than two cases, with one, that became letters lately, and signs that mean something elsewhere. */
const LETTERS = [...'iIİıïÏsSßẞσςΣoOóÓkK', '\u212a', ...'éÉ"\'%_*-+()日本語ყᲧəƏɪꞮ😀𞤀𞤢', ' ']
const WORDS = ['Berlin', 'BERLIN', 'İSTANBUL', 'istanbul', 'ΟΔΟΣ', 'οδος', 'Straße', 'STRAẞE', '日本語', 'ᲧᲐᲠᲐ', 'ყარა']

/** The same ones in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
}

describeDialects('search with an index', dialect => {
  const isPg = dialect.name === 'pg'
  const tables = models(dialect.kit)
  const { towns, people } = tables
  const Town = BaseModelSerializer(towns, { fields: ['id', 'name'] })
  const Person = BaseModelSerializer(people, {
    fields: ['id', 'name', 'note', 'email', 'town'],
    extra: { town: IdToDataField({ queryset: towns, serializer: Town }) },
  })
  const common = { model: people, serializer: Person, permissionClasses: [AllowAny] } as const
  const api = useApi(dialect, {
    tables,
    resources: {
      people: BulkViewSet({ ...common, searchFields: ['name', 'note', 'town__name'] }),
      named: BulkViewSet({ ...common, searchFields: ['name'] }),
      towns: BulkViewSet({ model: towns, serializer: Town, permissionClasses: [AllowAny], searchFields: ['name'] }),
    },
  })
  const run = (text: string) => api.database.driver.run({ text }, [])
  const create = async () => {
    const transaction = await api.database.driver.begin()
    for (const text of searchIndexStatements([towns, people].map(modelInfo)).after) await transaction.run({ text }, [])
    await transaction.commit()
  }
  const found = async (search: string, resource = 'named') => {
    const response = await api.get(`/${resource}/?paginated=false&ordering=id&search=${encodeURIComponent(search)}`)
    expect(response.status).toBe(200)
    return JSON.parse(response.text).data.map(({ name }: { name: string }) => name)
  }
  beforeEach(create)

  test('finds what search finds without one, whatever the letters', async () => {
    const next = numbers(7)
    const text = (length: number) =>
      Array.from({ length }, () => (next(4) === 0 ? WORDS[next(WORDS.length)] : LETTERS[next(LETTERS.length)])).join('')
    const places = Array.from({ length: 20 }, (_, id) => ({ id: id + 1, name: text(4) }))
    const rows = Array.from({ length: 300 }, (_, i) => {
      return { id: uuid(i), name: text(1 + next(6)).slice(0, 60), note: next(3) ? text(6) : null, town: 1 + next(20) }
    })
    await api.database.transaction(async () => {
      await insertMany(towns, places)
      await insertMany(people, rows)
    })
    const info = modelInfo(people)
    const contains = (model: typeof info, name: string, term: string): SQL => {
      const column = model.byKey.get(name)
      if (!column) throw new Error(name)
      const { dialect: spelling } = api.database
      const value = inAnyCase(spelling, column, sql`${column.column}`)
      return spelling.matchesText(value, term, { at: 'anywhere', ignoreCase: true })
    }
    let hits = 0
    for (let i = 0; i < 150; i++) {
      const { name, note } = rows[next(rows.length)] ?? rows[0]!
      const source = [...((next(2) ? note : name) ?? name)]
      const start = next(source.length)
      const piece = source.slice(start, start + 2 + next(5)).join('')
      const written = [piece, foldCase(piece), piece.toUpperCase()][next(3)] ?? piece
      const searched = `${written} ${next(3) ? '' : text(1)}`
      const terms = [...new Set(searched.split(/\s+/u).filter(Boolean))]
      const wanted = QuerySet.of(api.database, people).filter(
        and(
          ...terms.map(term => {
            const inTown = sql`${people.town} in (select ${towns.id} from ${towns} where ${contains(modelInfo(towns), 'name', term)})`
            return sql`(${contains(info, 'name', term)} or ${contains(info, 'note', term)} or ${inTown})`
          }),
        ),
      )
      const count = await wanted.count()
      const response = JSON.parse((await api.get(`/people/?page_size=1&search=${encodeURIComponent(searched)}`)).text)
      expect([searched, response.count]).toEqual([searched, count])
      hits += count
    }
    expect(hits).toBeGreaterThan(150)
  })

  test('asks it, and finds words however they are written', async () => {
    await api.database.transaction(() =>
      insertMany(
        people,
        ['Anna BERLINER', 'Bo "Quote" x%y_z', 'Straße', 'İSTANBUL'].map((name, i) => ({ id: uuid(i), name })),
      ),
    )
    expect(await found('berlin')).toEqual(['Anna BERLINER'])
    expect(await found('anna liner')).toEqual(['Anna BERLINER'])
    expect(await found('"quote"')).toEqual(['Bo "Quote" x%y_z'])
    expect(await found('%y_')).toEqual(['Bo "Quote" x%y_z'])
    expect(await found('TANBUL')).toEqual(['İSTANBUL'])
    expect(await found('an')).toEqual(['Anna BERLINER', 'İSTANBUL'])
    expect(await found('xyz')).toEqual([])
    if (isPg) {
      const plans = await Promise.all(
        ['name', 'note', 'note collate "default"'].map(column =>
          api.database.transaction(async () => {
            const db = currentDb() as unknown as { execute(query: SQL): Promise<{ rows: object[] }> }
            await db.execute(sql`set local enable_seqscan = off`)
            return JSON.stringify(
              (await db.execute(sql.raw(`explain select 1 from people where lower((${column})::text) like '%berlin%'`)))
                .rows,
            )
          }),
        ),
      )
      expect(plans.map(plan => plan.includes('people_name_note_search'))).toEqual([true, false, true])
      return
    }
    const statements = await api.statementsOf(() => found('berlin'))
    expect(statements.at(-1)).toContain('"people_search" match')
  })

  test('knows of what is created, changed and deleted, by an API and by anybody', async () => {
    const body = (n: number, name: string) => ({ id: uuid(n), name, email: `${n}@x.org` })
    const created = await api.post('/people/bulk-create/', [body(1, 'First one'), body(2, 'Second one')])
    const [first, second] = JSON.parse(created.text).data
    await api.patch(`/people/${first.id}/`, { name: 'Third thing' })
    await api.patch(`/people/${second.id}/`, { note: 'noted', email: null })
    expect(await found('first')).toEqual([])
    expect(await found('third')).toEqual(['Third thing'])
    expect(await found('noted', 'people')).toEqual(['Second one'])
    await api.delete(`/people/${first.id}/`)
    expect(await found('third')).toEqual([])
    await run(`insert into people (id, name) values ('${uuid(5)}', 'By hand')`)
    await run(`update people set name = 'Renamed by hand', id = '${uuid(6)}' where id = '${uuid(5)}'`)
    expect(await found('renamed')).toEqual(['Renamed by hand'])
    await api.post('/towns/bulk-create/', [{ name: 'Lisbon' }, { name: 'Porto' }])
    await run(`update towns set id = id + 100`)
    expect(await found('lisb', 'towns')).toEqual(['Lisbon'])
    await run('delete from people')
    expect(await found('renamed')).toEqual([])
  })

  test('is nothing for other columns than texts', () => {
    const wrong = () =>
      modelInfo(
        dialect.kit.table('odd', { id: dialect.kit.uuid().primaryKey(), size: dialect.kit.integer() }, t => [
          dialect.kit.searchIndex(t.size),
        ]),
      )
    expect(problemOf(wrong)).toBe('odd: searchIndex: "size" holds no text; only text can be searched')
  })

  if (!isPg) {
    describe('on SQLite', () => {
      test('is right whatever a statement replaces, and for tools that know nothing of ours', async () => {
        await api.database.transaction(() => insertMany(people, [{ id: uuid(1), name: 'Gamma ray', email: 'a' }]))
        const { rows } = await run('pragma database_list')
        const handle = new BetterSqlite(String(rows[0]?.[2]))
        handle.exec(`insert or replace into people (id, name, email) values ('${uuid(2)}', 'Delta wing', 'a')`)
        handle.exec(`insert or ignore into people (id, name, email) values ('${uuid(1)}', 'Omega point', 'b')`)
        handle.exec(`insert or replace into people (id, name, email) values ('${uuid(2)}', 'Sigma rule', 'a')`)
        handle.exec('vacuum')
        handle.exec(`update or replace people set name = 'İota subscript' where id = '${uuid(1)}'`)
        handle.close()
        expect(await found('gamma')).toEqual([])
        expect(await found('omega')).toEqual([])
        expect(await found('delta')).toEqual([])
        expect(await found('iota')).toEqual(['İota subscript'])
        expect(await found('sigma')).toEqual(['Sigma rule'])
        expect((await run('select count(*) from people_search')).rows).toEqual([[2n]])
      })

      test('is not asked where it is not as it was made', async () => {
        await api.database.transaction(() => insertMany(people, [{ id: uuid(1), name: 'Before' }]))
        await run('drop trigger people_search_insert')
        await run(`insert into people (id, name) values ('${uuid(2)}', 'Behind its back')`)
        expect(await found('behind')).toEqual(['Behind its back'])
        await create()
        expect(await found('behind')).toEqual(['Behind its back'])
        await run('drop table people_search')
        // Its triggers would now keep people from writing.
        for (const event of ['insert', 'update', 'delete']) await run(`drop trigger people_search_${event}`)
        expect(await found('before')).toEqual(['Before'])
      })

      test('takes no letter for a stranger that search takes for the same one', () => {
        const handle = new BetterSqlite(':memory:')
        handle.exec("create virtual table texts using fts5(text, tokenize='trigram')")
        handle.exec("create virtual table folded using fts5vocab(texts, 'instance')")
        const insert = handle.prepare("insert into texts (rowid, text) values (?, replace(?, 'İ', 'i'))")
        // All whose case is folded, and what it is folded to.
        const cased = Array.from({ length: 0x110000 }, (_, code) => code).filter(code => {
          const isHalf = code >= 0xd800 && code <= 0xdfff
          return !isHalf && foldCase(String.fromCodePoint(code)) !== String.fromCodePoint(code)
        })
        const folds = cased.map(code => foldCase(String.fromCodePoint(code)).codePointAt(0) ?? 0)
        const letters = [...new Set([...cased, ...folds])]
        expect(letters.length).toBeGreaterThan(2_500)
        handle.transaction(() => {
          for (const code of letters) insert.run(code, `xx${String.fromCodePoint(code)}`)
        })()
        const known = new Map<number, string>()
        const terms = handle.prepare<[], { doc: number; term: string }>('select doc, term from folded').iterate()
        for (const { doc, term } of terms) known.set(doc, term)
        const strangers = letters.filter(code => {
          const own = foldCase(String.fromCodePoint(code))
          const isAsked = sqliteSearchIndex.lookUp(`xx${own}`) !== undefined
          return isAsked && known.get(code) !== known.get(own.codePointAt(0) ?? 0)
        })
        expect(strangers.map(code => code.toString(16))).toEqual([])
        handle.close()
      })
    })
  }
})
