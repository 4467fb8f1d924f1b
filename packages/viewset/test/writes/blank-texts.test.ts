import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'
import {
  AllowAny,
  BaseModelSerializer,
  BulkUpsertModelMixin,
  BulkViewSet,
  DataToDataField,
  defineKind,
  StrToDataField,
} from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectInvalid, expectSuccess } from '../support/expect.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'

const BLANK = ['This field needs a text that is not empty.']

const phone = defineKind('phone', {
  column: c => c.text(10).$type<string>(),
  schema: column => column.refine(value => value.startsWith('+'), 'Begin with a plus.'),
})

describeDialects('a text is trimmed and must not be blank', dialect => {
  const c = dialect.kit
  const groups = c.table('groups', { code: c.text(5).primaryKey(), name: c.text(10).notNull().unique() })
  const things = c.table('things', {
    id: c.integer().primaryKey(),
    name: c.text(5).notNull().unique(),
    note: c.text(10),
    raw: c.text(10, { trim: false }),
    free: c.text(10, { allowBlank: true }),
    any: c.text({ trim: false, allowBlank: true }),
    extra: c.text(10).notNull().default(''),
    phone: c.kind(phone),
    labels: c.array(c.text(5)),
    group: c.foreignKey(groups),
  })
  // Plain Drizzle tables have no options of a kit.
  const plain =
    dialect.name === 'pg'
      ? pg.pgTable('plain', { id: pg.serial().primaryKey(), title: pg.text().notNull(), body: pg.text().default('') })
      : sqlite.sqliteTable('plain', {
          id: sqlite.integer().primaryKey(),
          title: sqlite.text().notNull(),
          body: sqlite.text().default(''),
        })
  const fields = ['id', 'name', 'note', 'raw', 'free', 'any', 'extra', 'phone', 'labels', 'group'] as const
  const permissionClasses = [AllowAny]
  const GroupSerializer = BaseModelSerializer(groups, { fields: ['code', 'name'] })
  const ThingSerializer = BaseModelSerializer(things, { fields: [...fields] })
  const ByName = BaseModelSerializer(things, {
    name: 'ThingByName',
    fields: ['id', 'name'],
    extra: { group: StrToDataField({ queryset: groups, str: 'name', serializer: GroupSerializer }) },
  })
  const Nested = BaseModelSerializer(things, {
    name: 'ThingNested',
    fields: ['id', 'name'],
    extra: { group: DataToDataField({ queryset: groups, serializer: GroupSerializer }) },
  })
  const PlainSerializer = BaseModelSerializer(plain, { fields: ['id', 'title', 'body'] })
  const Lenient = BaseModelSerializer(plain, {
    name: 'Lenient',
    fields: ['id', 'title', 'body'],
    texts: { title: { allowBlank: true }, body: { trim: false, allowBlank: false } },
  })
  const api = useApi(dialect, {
    tables: { groups, things, plain },
    resources: {
      groups: BulkViewSet({ model: groups, serializer: GroupSerializer, permissionClasses }),
      things: BulkViewSet.add(BulkUpsertModelMixin)({
        model: things,
        serializer: ThingSerializer,
        permissionClasses,
        upsertFields: ['name'],
      }),
      named: BulkViewSet({ model: things, serializer: ByName, permissionClasses }),
      nested: BulkViewSet({ model: things, serializer: Nested, permissionClasses }),
      plain: BulkViewSet({ model: plain, serializer: PlainSerializer, permissionClasses }),
      lenient: BulkViewSet({ model: plain, serializer: Lenient, permissionClasses }),
    },
  })
  const padded = () => allowUndescribed(/must NOT have more than|must match pattern/, 'What is trimmed may be longer.')

  test.each(['', ' ', '\t\n\u00a0\u3000'])('%j is refused on every path', async blank => {
    expectInvalid(await api.post('/groups/', { code: blank, name: blank }), { code: BLANK, name: BLANK })
    expectInvalid(await api.post('/things/', { name: blank, note: blank, phone: blank, labels: ['a', blank] }), {
      name: BLANK,
      note: BLANK,
      phone: BLANK,
      'labels.1': BLANK,
    })
    const id = (await api.post('/things/', { name: 'a' })).data<{ id: number }>().id
    expectInvalid(await api.put(`/things/${id}/`, { name: blank }), { name: BLANK })
    expectInvalid(await api.patch(`/things/${id}/`, { name: blank }), { name: BLANK })
    expectInvalid(await api.post('/things/bulk-create/', [{ name: 'b' }, { name: blank }]), { '1.name': BLANK })
    expectInvalid(await api.patch('/things/bulk-update/', [{ id, name: blank }]), { '0.name': BLANK })
    expectInvalid(await api.post('/things/bulk-upsert/', [{ name: blank }]), { '0.name': BLANK })
    expectInvalid(await api.post('/nested/', { name: 'b', group: { code: 'x', name: blank } }), { 'group.name': BLANK })
    expectInvalid(await api.post('/named/', { name: 'b', group: blank }), { group: BLANK })
    expectInvalid(await api.post('/plain/', { title: blank }), { title: BLANK })
    expect(await stored('things', 'name')).toEqual([['a']])
  })

  test('is trimmed before its length, its uniqueness and what it refers to are looked at', async () => {
    padded()
    expectSuccess(await api.post('/groups/', { code: ' g ', name: ' Group ' }), 201, {
      data: { code: 'g', name: 'Group' },
    })
    const created = await api.post('/things/', {
      name: '  abcde ',
      note: ' n n ',
      phone: ' +49 ',
      labels: [' a '],
      group: ' g',
    })
    expect(created.envelope()).toMatchObject({
      success: true,
      data: { name: 'abcde', note: 'n n', phone: '+49', labels: ['a'], group: 'g' },
    })
    expectInvalid(await api.post('/things/', { name: 'abcde ' }), { name: ['Another record already has this value.'] })
    const named = await api.post('/named/', { name: 'b', group: ' Group ' })
    expect(named.envelope()).toMatchObject({ success: true, data: { group: { code: 'g' } } })
    const upserted = await api.post('/things/bulk-upsert/', [{ name: ' abcde', note: 'x' }])
    expect(upserted.envelope()).toMatchObject({ success: true })
    expect(await stored('things', 'name', 'note')).toEqual([
      ['abcde', 'x'],
      ['b', null],
    ])
  })

  test('is kept as the column says', async () => {
    const data = { raw: ' ', free: '', any: ' ', extra: '' }
    const created = await api.post('/things/', { name: 'a', ...data })
    expect(created.envelope()).toMatchObject({ success: true, data })
    expectInvalid(await api.post('/things/', { name: 'b', raw: '' }), { raw: BLANK })
    expect((await api.post('/things/', { name: 'c', free: '  ' })).envelope()).toMatchObject({ data: { free: '' } })
    expect((await api.post('/things/', { name: 'd', note: null })).envelope()).toMatchObject({ data: { note: null } })
  })

  test('is kept as the serializer says', async () => {
    expect((await api.post('/plain/', { title: ' t ', body: '' })).envelope()).toMatchObject({
      data: { title: 't', body: '' },
    })
    expect((await api.post('/lenient/', { title: ' ', body: ' ' })).envelope()).toMatchObject({
      data: { title: '', body: ' ' },
    })
    expectInvalid(await api.post('/lenient/', { title: '', body: '' }), { body: BLANK })
  })

  test('what is stored otherwise stays readable and is found by its key', async () => {
    await api.database.driver.run({ text: "insert into groups (code, name) values (' x', '')" }, [])
    const data = { code: ' x', name: '' }
    expectSuccess(await api.get('/groups/%20x/'), 200, { data })
    const deleted = await api.post('/groups/bulk-delete/', [' x'])
    expect(deleted.envelope()).toMatchObject({ success: true, data: { count: 1 } })
  })

  test('the description says so', () => {
    const { properties } = ThingSerializer.inputSchema() as { readonly properties: Record<string, object> }
    expect(properties).toMatchObject({
      name: { type: 'string', maxLength: 5, minLength: 1, pattern: '\\S' },
      note: { type: ['string', 'null'], maxLength: 10, minLength: 1, pattern: '\\S' },
      raw: { type: ['string', 'null'], maxLength: 10, minLength: 1 },
      labels: { items: { type: 'string', maxLength: 5, minLength: 1, pattern: '\\S' } },
    })
    expect(properties.raw).not.toHaveProperty('pattern')
    expect(properties.free).toEqual({ type: ['string', 'null'], maxLength: 10 })
    expect(properties.any).toEqual({ type: ['string', 'null'] })
    expect(properties.extra).toEqual({ type: 'string', maxLength: 10 })
  })

  test('rules are for texts, and have no other options', () => {
    const make = (texts: object) => () => BaseModelSerializer(things, { fields: ['id', 'name'], texts })
    expect(make({ name: { blank: true } })).toThrow('texts.name: blank: unknown option')
    expect(make({ id: { trim: false } })).toThrow('"id" is no text')
    expect(make({ nme: { trim: false } })).toThrow('"nme" is not among the fields')
  })

  async function stored(table: string, ...columns: readonly string[]) {
    const { rows } = await api.database.driver.run(
      { text: `select ${columns.join(', ')} from ${table} order by 1` },
      [],
    )
    return rows.map(row => [...row])
  }
})
