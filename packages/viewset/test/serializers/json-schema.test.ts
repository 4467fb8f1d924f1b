import { eq, sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BulkViewSet,
  type ColumnKit,
  createRecord,
  DataToDataField,
  defineKind,
  ExpressionField,
  FlexibleField,
  type JsonSchema,
  ManyIdToDataField,
  ReadOnlyIdField,
  ReadOnlyStrField,
  StrOnlyField,
  scoped,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { accepts, schemaErrors } from '../support/schemas.ts'

const money = defineKind('money', {
  column: c => c.decimal(8, 2),
  schema: amount => amount.refine(value => !value.startsWith('-'), 'An amount is not negative.'),
  jsonSchema: { examples: ['12.50'] },
  note: 'An amount in euro.',
})

function models(c: ColumnKit) {
  const makers = c.table('makers', {
    id: c.integer().primaryKey(),
    code: c.text(3).notNull().unique(),
    name: c.text(20),
  })
  const tags = c.table('tags', { id: c.uuid().primaryKey(), label: c.text(10).notNull() })
  const things = c.table('things', {
    id: c.integer().primaryKey(),
    name: c.text(5).notNull(),
    size: c.integer().notNull().default(1),
    big: c.bigint(),
    price: c.decimal(6, 2),
    cost: c.kind(money),
    weight: c.float(),
    open: c.boolean(),
    ref: c.uuid(),
    day: c.date(),
    hour: c.time(),
    moment: c.timestamp(),
    data: c.json(),
    kind: c.enumeration(['a', 'b']),
    labels: c.array(c.text(3)),
    bytes: c.binary(4),
    maker: c.foreignKey(makers),
  })
  const links = c.table('links', {
    id: c.integer().primaryKey(),
    thing: c.foreignKey(things).notNull(),
    tag: c.foreignKey(tags).notNull(),
  })
  return { makers, tags, things, links }
}

describeOneDialect('what a serializer says of itself', dialect => {
  const tables = models(dialect.kit)
  const { makers, tags, things, links } = tables
  const Maker = BaseModelSerializer(makers, { fields: ['id', 'code', 'name'] })
  const Tag = BaseModelSerializer(tags, { fields: ['id', 'label'] })
  const columns = [
    'id',
    'name',
    'size',
    'big',
    'price',
    'cost',
    'weight',
    'open',
    'ref',
    'day',
    'hour',
    'moment',
    'data',
    'kind',
    'labels',
    'bytes',
  ] as const
  test('an identifier that a scope may hide is one, or null', () => {
    const queryset = scoped(makers, () => eq(makers.name, 'seen'))
    const { properties } = BaseModelSerializer(things, {
      fields: ['id'],
      extra: { maker: ReadOnlyIdField({ queryset, scopeReads: true }) },
    }).outputSchema() as { properties: Record<string, JsonSchema> }
    const { properties: own } = Maker.outputSchema() as { properties: Record<string, JsonSchema> }
    expect(properties.maker).toMatchObject({ ...own.id, type: ['integer', 'null'] })
  })

  const Thing = BaseModelSerializer(things, {
    fields: columns,
    refine: { size: z.number().max(10) },
    extra: {
      maker: FlexibleField({ queryset: makers, serializer: Maker }),
      makerName: ReadOnlyStrField({ queryset: makers, str: 'name', column: 'maker' }),
      tags: ManyIdToDataField({
        queryset: tags,
        serializer: Tag,
        through: links,
      }),
      twice: ExpressionField({ expression: sql`${things.size} * 2`, type: 'integer' }),
      shout: thing => thing.name.toUpperCase(),
    },
  })
  const Plain = BaseModelSerializer(things, {
    name: 'Plain',
    fields: columns,
    refine: {
      name: z.string().min(4),
      size: z.number().max(10).min(6),
      price: z.string().regex(/^5\b/),
      ref: z.string().startsWith('7b'),
    },
  })
  const api = useApi(dialect, {
    tables,
    resources: {
      things: BulkViewSet({ model: things, serializer: Thing, permissionClasses: [AllowAny] }),
      plain: BulkViewSet({ model: things, serializer: Plain, permissionClasses: [AllowAny] }),
    },
  })

  const full = {
    name: 'one',
    size: 2,
    big: '9007199254740993',
    price: 12.5,
    cost: '1.20',
    weight: 1.5,
    open: true,
    ref: '01900000-0000-7000-8000-00000000000a',
    day: '2026-01-15',
    hour: '10:30',
    moment: '2026-01-15T10:30:00',
    data: { a: [1] },
    kind: 'a',
    labels: ['x'],
    bytes: 'AAEC',
    maker: { code: 'abc', name: 'ABC' },
    tags: [],
  }

  test.each([
    ['everything', full],
    ['the least', { name: 'two' }],
    ['nulls', { ...Object.fromEntries(Object.keys(full).map(key => [key, null])), name: 'x', size: 1, tags: [] }],
  ])('what it takes and shows is as its schemas say: %s', async (_, body) => {
    expect(accepts(Thing.inputSchema(), body)).toBe(true)
    const response = await api.post('/things/', body)
    expect([response.status, response.envelope().errors]).toEqual([201, undefined])
    expect(accepts(Thing.outputSchema(), response.data())).toBe(true)
    // A list that is shown as a whole has no mark.
    const described = Object.keys(Thing.outputSchema().properties as object).filter(name => name !== 'tags_truncated')
    expect(described).toEqual(Object.keys(response.data()))
  })

  test.each([
    ['name', 5],
    ['name', 'much too long'],
    ['size', 1.5],
    ['size', 11],
    ['big', 'one'],
    ['price', true],
    ['weight', '1'],
    ['open', 'yes'],
    ['day', 5],
    ['hour', '25:00'],
    ['kind', 'c'],
    ['labels', ['long']],
    ['bytes', 'AAAAAAAAAAAA'],
    ['maker', { code: 5 }],
    ['tags', 'one'],
  ])('both refuse %s: %j', async (field, value) => {
    const body = { ...full, [field]: value }
    expect((await api.post('/things/', body)).status).toBe(400)
    expect(accepts(Thing.inputSchema(), body)).toBe(false)
  })

  test.each<[field: 'maker' | 'tags', value: unknown, isTaken: boolean]>([
    ['maker', null, true],
    ['maker', 1, true],
    ['maker', { id: 1 }, true],
    ['maker', { id: null, code: 'new' }, true],
    ['maker', { code: 'new', name: null, other: [] }, true],
    ['maker', {}, false],
    ['maker', { id: 'x' }, false],
    ['maker', { name: 'New' }, false],
    ['maker', { code: 'long' }, false],
    ['maker', [], false],
    ['maker', 'x', false],
    ['tags', ['01900000-0000-7000-8000-00000000000A'], true],
    ['tags', ['x'], false],
    ['tags', null, false],
    ['tags', {}, false],
  ])('a relation is taken where its schema accepts it: %s: %j', async (field, value, isTaken) => {
    await api.database.transaction(async () => {
      await createRecord(makers, { code: 'abc' })
      await createRecord(tags, { id: '01900000-0000-7000-8000-00000000000a', label: 'Tag' })
    })
    const body = { name: 'one', [field]: value }
    expect((await api.post('/things/', body)).status).toBe(isTaken ? 201 : 400)
    expect(accepts(Thing.inputSchema(), body)).toBe(isTaken)
  })

  test('a PATCH requires nothing, a create what has no default', async () => {
    expect(Thing.inputSchema().required).toEqual(['name'])
    expect(Thing.inputSchema({ partial: true }).required).toBeUndefined()
    expect(accepts(Thing.inputSchema(), { size: 1 })).toBe(false)
    expect(accepts(Thing.inputSchema({ partial: true }), { size: 1 })).toBe(true)
  })

  test('a key that clients choose is for new records only', async () => {
    const tokens = dialect.kit.table('tokens', {
      code: dialect.kit.text(5).primaryKey(),
      label: dialect.kit.text(9).notNull(),
    })
    const Token = BaseModelSerializer(tokens, { fields: ['code', 'label'] })
    const known = (options?: Parameters<typeof Token.inputSchema>[0]) => {
      const { title, properties, required } = Token.inputSchema(options)
      return [title, Object.keys(properties as object), required]
    }
    expect(known()).toEqual(['TokenInput', ['code', 'label'], ['code', 'label']])
    expect(known({ existing: true })).toEqual(['TokenUpdate', ['label'], ['label']])
    expect(known({ partial: true })).toEqual(['TokenPatch', ['label'], undefined])
    expect(Maker.inputSchema({ existing: true })).toBe(Maker.inputSchema())
  })

  describe('its examples', () => {
    test('fit their schemas, in both directions', () => {
      for (const schema of [Plain.inputSchema(), Plain.inputSchema({ partial: true }), Plain.outputSchema()]) {
        const [example, ...more] = schema.examples as readonly object[]
        expect([more, schemaErrors(schema, example)]).toEqual([[], []])
      }
      expect(Plain.inputSchema({ partial: true }).examples).toEqual([{ name: 'Text' }])
    })

    test('can be sent as they are, and are shown as they say', async () => {
      const [sent] = Plain.inputSchema().examples as readonly object[]
      const [shown] = Plain.outputSchema().examples as readonly object[]
      const response = await api.post('/plain/', sent)
      expect([response.status, response.data()]).toEqual([201, shown])
    })

    test('follow relations', () => {
      const Related = BaseModelSerializer(things, {
        fields: ['id'],
        extra: {
          maker: DataToDataField({ queryset: makers, serializer: Maker }),
          makerCode: ReadOnlyStrField({ queryset: makers, str: 'code', column: 'maker' }),
          tags: ManyIdToDataField({ queryset: tags, serializer: Tag, through: links }),
        },
      })
      expect(Related.inputSchema().examples).toEqual([
        { maker: { code: 'Abc', name: 'Example' }, tags: ['019bc134-7840-7d21-9c3e-5f0a8b6d4e12'] },
      ])
      expect(Related.outputSchema().examples).toEqual([
        {
          id: 1,
          maker: { id: 1, code: 'Abc', name: 'Example' },
          maker_code: 'Abc',
          tags: [{ id: '019bc134-7840-7d21-9c3e-5f0a8b6d4e12', label: 'Example' }],
        },
      ])
    })

    test('are left out where one might be wrong', () => {
      const Strict = BaseModelSerializer(things, { fields: ['name'], refine: { name: z.string().regex(/^Q{5}$/) } })
      expect([Strict.inputSchema().examples, Strict.inputSchema({ partial: true }).examples]).toEqual([
        undefined,
        undefined,
      ])
      const failing = z.string().refine(() => expect.unreachable())
      const Failing = BaseModelSerializer(things, { fields: ['name'], refine: { name: failing } })
      expect(Failing.inputSchema()).not.toHaveProperty('examples')
      const Loose = BaseModelSerializer(makers, {
        fields: ['id', 'name'],
        refine: { name: z.string().regex(/^Q{5}$/) },
      })
      expect([Loose.inputSchema().examples, Loose.outputSchema().examples]).toEqual([
        undefined,
        [{ id: 1, name: null }],
      ])
      expect(Thing.outputSchema()).not.toHaveProperty('examples')
    })
  })

  describe('the name of its records', () => {
    const nameOf = (table: string, name?: string) => {
      const model = dialect.kit.table(table, { id: dialect.kit.integer().primaryKey() })
      return BaseModelSerializer(model, { fields: ['id'], ...(name !== undefined && { name }) }).outputSchema().title
    }

    test.each([
      ['articles', 'Article'],
      ['auth_users', 'AuthUser'],
      ['geography', 'Geography'],
      ['city_addresses', 'CityAddress'],
      ['OrderItems', 'OrderItem'],
      ['états', 'Etat'],
      ['2fa-tokens', '2faToken'],
      ['表', 'Record'],
    ])('is made of the table %s', (table, name) => {
      expect(nameOf(table)).toBe(name)
    })

    test('is the title of its schemas, each of which is one object', () => {
      const Named = BaseModelSerializer(makers, { name: 'Producer', fields: ['id', 'code'] })
      const schemas = () => [Named.outputSchema(), Named.inputSchema(), Named.inputSchema({ partial: true })]
      expect(schemas().map(({ title }) => title)).toEqual(['Producer', 'ProducerInput', 'ProducerPatch'])
      for (const [index, schema] of schemas().entries()) expect(schemas()[index]).toBe(schema)
      const Nesting = BaseModelSerializer(things, {
        fields: ['id'],
        extra: { maker: DataToDataField({ queryset: makers, serializer: Named }) },
      })
      const nested = (Nesting.outputSchema() as { properties: { maker: { anyOf: readonly unknown[] } } }).properties
      expect(nested.maker.anyOf[0]).toBe(Named.outputSchema())
    })

    test.each([['big city'], ['city'], ['2cities'], ['Größe'], ['']])('cannot be "%s"', name => {
      expect(() => nameOf('cities', name)).toThrow(/name: must be letters and digits in PascalCase, such as "[A-Z]\w+"/)
    })
  })

  describe('field by field', () => {
    const { properties } = Thing.inputSchema() as { readonly properties: Readonly<Record<string, JsonSchema>> }

    test('columns say their limits, null where they may be null, and the rules of refine', () => {
      expect(properties.name).toEqual({ type: 'string', maxLength: 5, minLength: 1, pattern: '\\S' })
      expect(properties.size).toEqual({ type: 'integer', minimum: -2147483648, maximum: 10 })
      expect(properties.kind).toEqual({ type: ['string', 'null'], enum: ['a', 'b', null] })
      expect(properties.data).toEqual({})
      expect(properties.labels).toEqual({
        type: ['array', 'null'],
        items: { type: 'string', maxLength: 3, minLength: 1, pattern: '\\S' },
      })
      expect(properties.bytes).toMatchObject({ type: ['string', 'null'], contentEncoding: 'base64', maxLength: 8 })
      const price = [
        { type: 'string', pattern: '^-?0*[0-9]{1,4}(\\.[0-9]{1,2}0*)?$' },
        { type: 'number', exclusiveMinimum: -10_000, exclusiveMaximum: 10_000 },
      ]
      expect(properties.price).toMatchObject({ anyOf: [...price, { type: 'null' }] })
      expect(properties.cost).toMatchObject({
        anyOf: [{}, {}, { type: 'null' }],
        description: 'An amount in euro.',
        examples: ['12.50'],
      })
    })

    test('what is read-only is not taken, what is write-only not shown', () => {
      const Secret = BaseModelSerializer(makers, {
        fields: ['id', 'code', 'name'],
        writeOnly: ['name'],
        readOnly: ['code'],
      })
      expect(Object.keys(Secret.inputSchema().properties as object)).toEqual(['name'])
      expect(Object.keys(Secret.outputSchema().properties as object)).toEqual(['id', 'code'])
    })

    test('relations say what stands for a record', () => {
      const Related = BaseModelSerializer(things, {
        fields: ['id'],
        extra: { maker: StrOnlyField({ queryset: makers, str: 'code' }) },
      })
      const code = { type: ['string', 'null'], maxLength: 3 }
      expect(Related.inputSchema().properties).toEqual({ maker: { ...code, minLength: 1, pattern: '\\S' } })
      expect(Related.outputSchema().properties).toMatchObject({ maker: code })
      const Nested = BaseModelSerializer(things, {
        fields: ['id'],
        extra: { maker: DataToDataField({ queryset: makers, serializer: Maker }) },
      })
      const byId = {
        type: 'object',
        properties: { id: expect.objectContaining({ type: 'integer' }) },
        required: ['id'],
      }
      expect(Nested.inputSchema().properties).toEqual({
        maker: { anyOf: [Maker.inputSchema(), byId, { type: 'null' }] },
      })
      expect(Nested.outputSchema().properties).toMatchObject({
        maker: { anyOf: [Maker.outputSchema(), { type: 'null' }] },
      })
    })
  })
})
