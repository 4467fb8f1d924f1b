import { type Column, getTableColumns, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import fc from 'fast-check'
import {
  AllowAny,
  BaseModelSerializer,
  BulkViewSet,
  type ColumnKit,
  defineKind,
  ExpressionField,
  type FieldName,
  type JsonSchema,
  type Model,
  type ModelSerializer,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { isWritable } from '../../src/serializer/fields.ts'
import { useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'
import { accepts, schemaErrors } from '../support/schemas.ts'

const sku = defineKind('sku', {
  column: c => c.text(8).$type<string>(),
  schema: column => column.refine(value => /^[A-Z]{2}-\d+$/.test(value), 'Two letters and a number.'),
  jsonSchema: { pattern: '^[A-Z]{2}-[0-9]+$' },
})

const models = (c: ColumnKit) => ({
  things: c.table('things', {
    id: c.integer().primaryKey(),
    name: c.text(5).notNull(),
    body: c.text(),
    trimmed: c.text(9),
    email: c.text(50),
    size: c.integer().notNull(),
    rating: c.integer(),
    odd: c.integer(),
    big: c.bigint(),
    price: c.decimal(6, 2).notNull(),
    whole: c.decimal(4, 0),
    share: c.decimal(3, 3),
    weight: c.float(),
    open: c.boolean(),
    ref: c.uuid(),
    day: c.date(),
    hour: c.time(),
    late: c.time(),
    moment: c.timestamp().notNull(),
    data: c.json(),
    settings: c.json().notNull(),
    kind: c.enumeration(['a', 'b']),
    some: c.enumeration(['a', 'b', 'c']),
    labels: c.array(c.text(3)),
    hours: c.array(c.time()),
    few: c.array(c.integer()).$type<number[]>(),
    bytes: c.binary(4),
    code: c.kind(sku),
  }),
})

const plain = pg.pgTable('plain', {
  id: pg.serial().primaryKey(),
  small: pg.smallint(),
  rated: pg.numeric({ precision: 5, scale: 1, mode: 'number' }),
  any: pg.numeric(),
  real: pg.doublePrecision(),
  at: pg.time(),
  zoned: pg.time({ withTimezone: true }),
  mac: pg.macaddr(),
  long: pg.macaddr8(),
  address: pg.inet(),
  moment: pg.timestamp({ mode: 'date' }),
  day: pg.date({ mode: 'date' }),
  point: pg.point(),
  tag: pg.varchar({ length: 4 }),
})

/** What a schema cannot say without being harder to read than it is worth; the field refuses it. */
const LEFT_TO_THE_FIELD: readonly ((value: unknown, column: Column) => boolean)[] = [
  // Text has no NUL, wherever it stands.
  value => JSON.stringify(value)?.includes('\\u0000') ?? false,
  // Days that there are not, the year 0, and an offset that leads out of the years of four digits.
  value => typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value),
  // A 64-bit integer is a text beyond 2^53 only, and ends at 2^63; a float that is written out is large.
  (value, { name }) => ['big', 'weight', 'real'].includes(name) && typeof value === 'string',
  // A number's digits behind the point, and an exponent that it would be written with.
  (value, { name }) => ['price', 'share', 'any'].includes(name) && typeof value === 'number',
  // Base64 comes in groups of three bytes, and its last letter has bits that must be 0.
  (value, { name }) => name === 'bytes' && typeof value === 'string',
  // A rule for what is made of a value before it is looked at, or for a value that records hold in another form.
  (_, { name }) => ['trimmed', 'late', 'rated'].includes(name),
  // Addresses are for the field to read.
  (value, { name }) => name === 'address' && typeof value === 'string',
  // What an unknown type takes only its database knows.
  (_, { name }) => name === 'point',
]

const NEAR_MISSES = [
  ...[
    '',
    ' ',
    'a',
    'b',
    'x'.repeat(6),
    '😀😀😀😀😀',
    '5',
    '5.5',
    '-5',
    '+5',
    '05.50',
    '.5',
    '5.',
    '1e3',
    'NaN',
    'true',
  ],
  ...['2026-01-15', '2026-02-29', '2024-02-29', '0000-01-01', '10000-01-01', '2026-1-5', '2026-13-01'],
  ...['2026-01-15T10:30', '2026-01-15 10:30:00', '2026-01-15t10:30:00.1234567z', '2026-01-15T10:30:00+0100'],
  ...['2026-01-15T10:30:00+25:00', '2026-01-15T24:00', '2026-01-15T10:30:60Z', '2026-01-15T10Z', '20260115T1030Z'],
  ...['10:30', '10:30:00', '10:30:00.123456', '10:30:00.1234567', '24:00', '1:30', '10:30Z', '10:30+01', '10:30:00-16'],
  ...['01900000-0000-7000-8000-00000000000A', '019000000000700080000000000000aa', '{01900000}'],
  ...['9007199254740993', '-9223372036854775808', '9223372036854775808', '9007199254740991', '0009007199254740993'],
  ...['AAEC', 'AA==', 'AAE=', 'AAE', 'A===', 'AAECAAEC', 'AB-1', 'ab-1', 'AB-1234567', 'ann@example.org', 'ann'],
  ...['00:11:22:33:44:55', '00-11-22-33-44-55', '00:11-22:33:44:55', '00:11:22:33:44:55:66:77', '10.0.0.1/8'],
  ...[0, -0, 1, 10, 11, -1, 1.5, 0.5, 0.001, 0.0001, 9999, 9999.99, 10000, 32767, 32768, -32769, 2 ** 31 - 1, 2 ** 31],
  ...[
    2 ** 53 - 1,
    2 ** 53,
    1e21,
    1e300,
    -1e300,
    5e-324,
    true,
    false,
    null,
    [],
    {},
    ['a'],
    ['abcd'],
    [null],
    [1, 2, 3, 4],
  ],
  ...[['10:30'], ['x', 5], [[1]], { a: 1 }, { theme: 'dark' }, { theme: 5 }],
]

/** Values that a schema describes, made from its keywords, and now and then one beside them. */
function drawn(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { type, anyOf, enum: values, pattern, format, items, maxLength, minimum, maximum } = schema
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map(drawn))
  if (Array.isArray(values)) return fc.constantFrom(...values)
  if (Array.isArray(type)) return fc.oneof(...type.map(one => drawn({ ...schema, type: one })))
  if (type === 'null') return fc.constant(null)
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer') return fc.integer({ min: Number(minimum ?? -1e6), max: Number(maximum ?? 1e6) })
  if (type === 'number') return fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.float({ noNaN: true }))
  if (type === 'array') return fc.array(drawn((items ?? {}) as JsonSchema), { maxLength: 4 })
  if (type !== 'string') return fc.jsonValue()
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern))
  if (format === 'uuid') return fc.uuid()
  if (format === 'date') return fc.date({ noInvalidDate: true }).map(date => date.toISOString().slice(0, 10))
  return fc.string({ unit: 'grapheme', maxLength: Number(maxLength ?? 20) })
}

/** Each writable field of a serializer with the values that it is tried with. */
function fieldsOf({ fields, inputSchema }: ModelSerializer) {
  const { properties } = inputSchema() as { readonly properties: Readonly<Record<string, JsonSchema>> }
  return fields.filter(isWritable).flatMap(field => {
    if (field.kind !== 'stored') return []
    const schema = properties[field.wire] ?? expect.unreachable()
    const takes = (value: unknown) => field.schema({ timeZone: 'UTC' }).safeParse(value).success
    return [{ name: field.wire, schema, takes, column: field.column.column }]
  })
}

/** Forms that a field reads beside the one that is answered, which is the one that the schema names. */
const OTHER_FORMS: readonly ((value: unknown, column: Column) => boolean)[] = [
  (value, { name }) => name === 'ref' && /^[0-9a-f]{32}$/i.test(String(value)),
  (value, { name }) => ['price', 'whole', 'share', 'rated', 'any'].includes(name) && /\de/i.test(String(value)),
]

function checkExactness(serializer: ModelSerializer): void {
  test.each(fieldsOf(serializer))('$name', ({ schema, takes, column }) => {
    const values = fc.oneof(
      { weight: 4, arbitrary: drawn(schema) },
      { weight: 2, arbitrary: fc.constantFrom(...NEAR_MISSES) },
      { weight: 1, arbitrary: fc.jsonValue() },
    )
    const check = (value: unknown) => {
      const verdict = { value, schema: accepts(schema, value), field: takes(value) }
      if (verdict.schema && !verdict.field && LEFT_TO_THE_FIELD.some(is => is(value, column))) return
      if (verdict.field && !verdict.schema && OTHER_FORMS.some(is => is(value, column))) return
      // The field judges what is left of a text without the blanks around it.
      if (typeof value === 'string' && value !== value.trim()) return
      expect(verdict).toEqual({ value, schema: verdict.field, field: verdict.field })
    }
    for (const value of NEAR_MISSES) check(value)
    fc.assert(fc.property(values, check), { numRuns: cases(300) })
  })
}

/** The names of all columns. */
function columnsOf<M extends Model>(model: M): readonly FieldName<M>[] {
  return Object.keys(getTableColumns(model)) as FieldName<M>[]
}

describeOneDialect('a schema accepts what the field accepts:', dialect => {
  const { things } = models(dialect.kit)
  checkExactness(
    BaseModelSerializer(things, {
      fields: columnsOf(things),
      refine: {
        trimmed: z.string().trim().max(5),
        email: z
          .string()
          .max(20)
          .regex(/^[^@]+@[^@]+$/),
        rating: z.number().min(1).max(5).describe('Stars.'),
        odd: z.int().refine(value => value % 2 !== 0 || value % 2 === 0),
        late: z.string().regex(/:00$/),
        settings: z.object({ theme: z.string().optional() }),
        some: z.enum(['a', 'b']),
        few: z.array(z.number().min(0)).max(3),
      },
    }),
  )
})

describe('a schema of a plain Drizzle column accepts what the field accepts:', () => {
  checkExactness(BaseModelSerializer(plain, { fields: columnsOf(plain), refine: { rated: z.number().max(10) } }))
})

describeOneDialect('a schema accepts what is shown:', dialect => {
  const rows = dialect.kit.table('rows', {
    id: dialect.kit.integer().primaryKey(),
    price: dialect.kit.decimal(6, 2),
    weight: dialect.kit.float(),
    big: dialect.kit.bigint(),
    at: dialect.kit.timestamp(),
    hour: dialect.kit.time(),
  })
  const serializer = BaseModelSerializer(rows, {
    fields: ['id', 'price', 'weight', 'big', 'at', 'hour'],
    extra: {
      double: ExpressionField({ expression: sql`${rows.price} * 2`, type: 'decimal' }),
      tiny: ExpressionField({ expression: sql`${rows.weight} / 10000000`, type: 'decimal' }),
      total: ExpressionField({
        expression: sql`(select count(*) + 9007199254740000 from ${rows})`,
        type: 'integer',
        notNull: true,
      }),
      shout: row => `${row.price}!`,
    },
  })
  const api = useApi(dialect, {
    tables: { rows },
    resources: { rows: BulkViewSet({ model: rows, serializer, permissionClasses: [AllowAny] }) },
  })
  const showRow = async (values: string) => {
    const text = `insert into "rows" (id, price, weight, big, at, hour) values (1, ${values})`
    await api.database.driver.run({ text }, [])
    return (await api.get('/rows/1/')).data()
  }

  test.each([
    ['nothing', 'null, null, null, null, null'],
    ['the ends of 64 bits', "0, 0, 9223372036854775807, '2026-01-15T10:30:00.123456Z', '23:59:59.999999'"],
    ['small numbers', "0.01, 0.0000001, -9223372036854775807, '0001-01-01T00:00:00.000000Z', '00:00:00'"],
    ['large numbers', "-9999.99, 1e300, 9007199254740993, '9999-12-31T23:59:59.999999Z', '10:30:00.5'"],
  ])('%s', async (_, values) => {
    const shown = await showRow(values)
    expect([shown, schemaErrors(serializer.outputSchema(), shown)]).toEqual([shown, []])
  })

  test('a float that is no number', async () => {
    allowUndescribed(/\/tiny/, 'a decimal is computed from it, which no request can bring about')
    const { weight } = (await showRow(`0, ${dialect.name === 'pg' ? "'-Infinity'" : '-9e999'}, 0, null, null`)) as {
      readonly weight: unknown
    }
    const { properties } = serializer.outputSchema() as { readonly properties: Readonly<Record<string, JsonSchema>> }
    expect([weight, schemaErrors(properties.weight ?? {}, weight)]).toEqual(['-Infinity', []])
  })

  test.each(['NaN', 'Infinity', '-Infinity'])('no schema of a decimal accepts "%s"', text => {
    const { properties } = serializer.outputSchema() as { readonly properties: Readonly<Record<string, JsonSchema>> }
    const shown = { id: 1, price: text, weight: 0, big: null, at: null, hour: null, double: text, tiny: '0', total: 1 }
    expect(
      Object.keys(properties).filter(name => schemaErrors(properties[name] ?? {}, shown[name as 'price']).length > 0),
    ).toEqual(['price', 'double'])
    expect(schemaErrors(serializer.inputSchema(), { price: text })).not.toEqual([])
  })

  test('an expression that always has a value is never null', () => {
    const { properties } = serializer.outputSchema() as { readonly properties: Readonly<Record<string, JsonSchema>> }
    expect([properties.total, properties.double?.type, properties.shout]).toEqual([
      { type: 'integer' },
      ['string', 'null'],
      {},
    ])
  })
})
