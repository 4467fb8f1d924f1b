import { AllowAny, BaseModelSerializer, BulkUpsertModelMixin, BulkViewSet, insertMany } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectInvalid } from '../support/expect.ts'
import { problemOf } from '../support/problem.ts'

/** In an order that no language has: by the numbers of the characters. */
const BY_CODE_POINT = ['10', '9', 'A-1', 'A1', 'AB', 'Zebra', '_', 'a-1', 'a1', 'zebra', 'Ärger', 'ärger', 'ﬀ', '😀']

describeDialects('a text with collation codepoint', dialect => {
  const c = dialect.kit
  const parts = c.table('parts', {
    id: c.integer().primaryKey(),
    code: c.text(20, { collation: 'codepoint' }).notNull().unique(),
    note: c.text({ collation: 'codepoint' }),
  })
  const places = c.table('places', { id: c.integer().primaryKey(), part: c.foreignKey(parts).notNull() })
  const names = c.table(
    'names',
    { id: c.integer().primaryKey(), name: c.text(20, { collation: 'codepoint' }).notNull() },
    t => [c.uniqueIgnoringCase(t.name)],
  )
  const permissionClasses = [AllowAny]
  const api = useApi(dialect, {
    tables: { parts, places, names },
    resources: {
      names: BulkViewSet({
        model: names,
        serializer: BaseModelSerializer(names, { fields: ['id', 'name'] }),
        permissionClasses,
      }),
      parts: BulkViewSet.add(BulkUpsertModelMixin)({
        model: parts,
        serializer: BaseModelSerializer(parts, { fields: ['id', 'code', 'note'] }),
        permissionClasses,
        upsertFields: ['code'],
        filterFields: {
          code: ['exact', 'in', 'gt', 'gte', 'lt', 'lte', 'iexact', 'icontains', 'istartswith', 'contains'],
        },
        searchFields: ['code'],
        appendIndexes: false,
      }),
      places: BulkViewSet({
        model: places,
        serializer: BaseModelSerializer(places, { fields: ['part'] }),
        permissionClasses,
        orderingFields: ['part__code'],
        filterFields: { part__code: ['lt', 'icontains'] },
        appendIndexes: false,
      }),
    },
  })
  const seedParts = () =>
    api.database.transaction(async () => {
      const shuffled = BY_CODE_POINT.map((code, i) => ({ id: 100 + ((i * 5) % 14), code, note: code }))
      await insertMany(parts, shuffled)
      await insertMany(
        places,
        shuffled.map(({ id }) => ({ id, part: id })),
      )
    })
  const codes = async (query: string) =>
    (await api.get(`/parts/?page_size=50&${query}`)).data<{ code: string }[]>().map(({ code }) => code)

  test('is ordered by code points on each database, and compared so', async () => {
    await seedParts()
    expect(await codes('ordering=code')).toEqual(BY_CODE_POINT)
    expect(await codes('ordering=-note')).toEqual(BY_CODE_POINT.toReversed())
    for (const [at, code] of BY_CODE_POINT.entries()) {
      const value = encodeURIComponent(code)
      expect(await codes(`ordering=code&code__lt=${value}`)).toEqual(BY_CODE_POINT.slice(0, at))
      expect(await codes(`ordering=code&code__gte=${value}`)).toEqual(BY_CODE_POINT.slice(at))
    }
  })

  if (dialect.name === 'pg') {
    test('says so in the schema, whatever the language of the database is', async () => {
      const { rows } = await api.database.driver.run(
        {
          text: "select collation_name from information_schema.columns where table_name = 'parts' order by column_name",
        },
        [],
      )
      expect(rows).toEqual([['C'], [null], ['C']])
      // In the languages' own order, digits and small letters stand elsewhere.
      const spoken = await api.database.driver.run(
        { text: `select code from (values ('a'), ('B'), ('_')) as given(code) order by code collate "und-x-icu"` },
        [],
      )
      expect(spoken.rows).toEqual([['_'], ['a'], ['B']])
    })
  }

  test('is ordered so behind a foreign key as well', async () => {
    await seedParts()
    const rows = await api.get('/places/?page_size=50&ordering=part__code')
    const ids = new Map(
      (await api.get('/parts/?page_size=50')).data<{ id: number; code: string }[]>().map(part => [part.id, part.code]),
    )
    expect(rows.data<{ part: number }[]>().map(({ part }) => ids.get(part))).toEqual(BY_CODE_POINT)
    expect((await api.get('/places/?part__code__lt=A')).data()).toHaveLength(2)
    expect((await api.get(`/places/?part__code__icontains=${encodeURIComponent('ÄRGER')}`)).data()).toHaveLength(2)
  })

  test('is looked for in any case of any script all the same', async () => {
    await seedParts()
    const of = (value: string) => encodeURIComponent(value)
    expect(await codes(`ordering=code&code__iexact=${of('ÄRGER')}`)).toEqual(['Ärger', 'ärger'])
    expect(await codes(`ordering=code&code__icontains=${of('RGE')}`)).toEqual(['Ärger', 'ärger'])
    expect(await codes(`ordering=code&code__istartswith=${of('ä')}`)).toEqual(['Ärger', 'ärger'])
    expect(await codes(`ordering=code&search=${of('ÄR')}`)).toEqual(['Ärger', 'ärger'])
    expect(await codes(`code__contains=${of('Är')}`)).toEqual(['Ärger'])
    expect(await codes(`ordering=code&code__in=${of('zebra,Zebra')}`)).toEqual(['Zebra', 'zebra'])
  })

  test('is validated, unique, written in bulk and matched like any other', async () => {
    await seedParts()
    expectInvalid(await api.post('/parts/', { code: 'A1' }), { code: ['Another record already has this value.'] })
    expectInvalid(await api.post('/parts/', { code: 'x'.repeat(21) }), {
      code: ['Ensure this field has no more than 20 characters.'],
    })
    expect((await api.post('/parts/bulk-create/', [{ code: 'new' }, { code: 'New', note: 'x' }])).status).toBe(201)
    const upserted = await api.post('/parts/bulk-upsert/', [
      { code: 'A1', note: 'again' },
      { code: 'A2', note: 'x' },
    ])
    expect(upserted.data()).toEqual({ created: 1, updated: 1 })
    const items = [
      { id: 100, note: 'one' },
      { id: 101, code: 'two' },
    ]
    expect((await api.patch('/parts/bulk-update/', items)).status).toBe(200)
  })

  test('can be unique in any case', async () => {
    const name = async (value: string) => api.post('/names/', { name: value })
    expect((await name('Ärger')).status).toBe(201)
    expectInvalid(await name('ÄRGER'), { name: ['Another record already has this value.'] })
    const raced = await api.database.driver
      .run({ text: "insert into names (id, name) values (99, 'Ärger')" }, [])
      .catch(error => api.database.dialect.fault(error))
    expect(raced).toMatchObject({ kind: 'unique', constraint: 'names_name_unique' })
  })

  test('of an order that there is not is refused', () => {
    expect(problemOf(() => c.text(20, { collation: 'codepiont' as never }))).toBe(
      'text: collation: unknown collation "codepiont"; did you mean "codepoint"?',
    )
    expect(problemOf(() => c.text({ colation: 'codepoint' } as never))).toBe(
      'text: colation: unknown option; did you mean "collation"?',
    )
  })
})
