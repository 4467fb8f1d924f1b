import { integer, pgTable, primaryKey, serial, text } from 'drizzle-orm/pg-core'
import { integer as int, sqliteTable, text as string, primaryKey as tableKey } from 'drizzle-orm/sqlite-core'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  DataToDataField,
  IdToDataField,
  IdToStrField,
  ManyIdToDataField,
  NestedDraft,
} from 'viewset'
import { expect, test } from 'vitest'
import { modelInfo } from '../../src/model/model-info.ts'
import { resolveManyNested } from '../../src/records/resolve-nested.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectInvalid, expectSuccess } from '../support/expect.ts'

/** Drizzle's own tables: numbered by the database, a foreign key to a code, a join table whose key is its two columns. */
function pgTables() {
  const units = pgTable('units', { id: serial().primaryKey(), code: text().notNull().unique() })
  const parts = pgTable('parts', {
    id: serial().primaryKey(),
    name: text().notNull(),
    unit: text('unit_code').references(() => units.code),
  })
  const kits = pgTable('kits', { id: serial().primaryKey(), name: text().notNull() })
  const kitParts = pgTable(
    'kit_parts',
    {
      kit: integer('kit_id').references(() => kits.id),
      part: integer('part_id').references(() => parts.id),
    },
    t => [primaryKey({ columns: [t.kit, t.part] })],
  )
  return { units, parts, kits, kitParts }
}

function sqliteTables() {
  const units = sqliteTable('units', {
    id: int().primaryKey(),
    code: string().notNull().unique(),
  })
  const parts = sqliteTable('parts', {
    id: int().primaryKey(),
    name: string().notNull(),
    unit: string('unit_code').references(() => units.code),
  })
  const kits = sqliteTable('kits', { id: int().primaryKey(), name: string().notNull() })
  const kitParts = sqliteTable(
    'kit_parts',
    {
      kit: int('kit_id').references(() => kits.id),
      part: int('part_id').references(() => parts.id),
    },
    t => [tableKey({ columns: [t.kit, t.part] })],
  )
  return { units, parts, kits, kitParts }
}

describeDialects('relations of plain tables', dialect => {
  // Each is the right one at run time; the types of both are those of PostgreSQL's, as with a kit.
  const tables = dialect.name === 'pg' ? pgTables() : (sqliteTables() as never as ReturnType<typeof pgTables>)
  const { units, parts, kits, kitParts } = tables
  const permissionClasses = [AllowAny]
  const UnitSerializer = BaseModelSerializer(units, { fields: ['id', 'code'] })
  const PartSerializer = BaseModelSerializer(parts, {
    fields: ['id', 'name'],
    extra: { unit: DataToDataField({ queryset: units, serializer: UnitSerializer }) },
  })
  const api = useApi(dialect, {
    tables,
    resources: {
      parts: BaseViewSet({ model: parts, serializer: PartSerializer, permissionClasses }),
      byCode: BaseViewSet({
        model: parts,
        serializer: BaseModelSerializer(parts, {
          fields: ['name', 'unit'],
          extra: {
            unit: IdToDataField({ queryset: units, serializer: UnitSerializer }),
            unitCode: IdToStrField({ queryset: units, str: 'code', column: 'unit', readOnly: true }),
          },
        }),
        permissionClasses,
      }),
      kits: BaseViewSet({
        model: kits,
        serializer: BaseModelSerializer(kits, {
          fields: ['id', 'name'],
          extra: { parts: ManyIdToDataField({ queryset: parts, serializer: PartSerializer, through: kitParts }) },
        }),
        permissionClasses,
      }),
    },
  })

  test('a foreign key to another column than the primary key is joined, written and created by that column', async () => {
    const metre = { id: 1, code: 'm' }
    expectSuccess(await api.post('/parts/', { name: 'rod', unit: { code: 'm' } }), 201, {
      data: { id: 1, name: 'rod', unit: metre },
    })
    expectSuccess(await api.post('/byCode/', { name: 'bar', unit: 'm' }), 201, {
      data: { name: 'bar', unit: metre, unit_code: 'm' },
    })
    expectSuccess(await api.post('/parts/', { name: 'pin', unit: { id: 1 } }), 201, {
      data: { id: 3, name: 'pin', unit: metre },
    })
    expectInvalid(await api.post('/byCode/', { name: 'bar', unit: 'kg' }), {
      unit: ['There is no unit with the code "kg".'],
    })
  })

  test('a join table without a key of its own', async () => {
    for (const name of ['a', 'b', 'c']) await api.post('/parts/', { name })
    const part = (id: number) => ({ id, name: 'abc'[id - 1], unit: null })
    expectSuccess(await api.post('/kits/', { name: 'K', parts: [2, 1] }), 201, {
      data: { id: 1, name: 'K', parts: [part(1), part(2)] },
    })
    expectSuccess(await api.patch('/kits/1/', { parts: [3, 2] }), 200, {
      data: { id: 1, name: 'K', parts: [part(2), part(3)] },
    })
    expectInvalid(await api.patch('/kits/1/', { parts: [4] }), { parts: ['There is no part with the id "4".'] })
    expectInvalid(await api.patch('/kits/1/', { parts: ['1'] }), {
      'parts.0': ['"1" is in quotes. Send the number without quotes.'],
    })
  })

  test('drafts whose keys the database makes', async () => {
    const target = modelInfo(units).primaryKey
    const unused = () => expect.unreachable()
    const relation = { wire: 'unit', target, scope: undefined, within: undefined }
    const drafts = ['x', 'y'].map(code => ({ unit: new NestedDraft(units, { code }, relation) }))
    const resolved = await api.database.transaction(() =>
      resolveManyNested(api.database, drafts, { create: unused, insertMany: unused, updateMany: unused }),
    )
    expect(resolved.map(({ values }) => values)).toEqual([{ unit: 1 }, { unit: 2 }])
  })
})
