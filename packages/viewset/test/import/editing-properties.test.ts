import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  currentDb,
  importForeignKey,
  importModel,
  insertMany,
} from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeDialects } from '../support/dialects.ts'
import { type EditableRow, editedWorkbook } from '../support/edited-workbook.ts'
import { form } from '../support/multipart.ts'

const ID = 'ID (do not change)'
const MARK = 'Delete?'
const RECORDS = 6

/** A value of each field, as JSON has it and as a person types it. */
const VALUES = {
  name: fc.constantFrom('Ada', 'Bob', '=1+1', 'Ünal', '007'),
  amount: fc.constantFrom(null, 0, 5, -17, 2_147_483_647),
  price: fc.constantFrom(null, '0.00', '12.50', '99999.99'),
  isOpen: fc.boolean(),
  kind: fc.constantFrom(null, 'new', 'old, used'),
  day: fc.constantFrom(null, '2026-01-15', '2000-02-29'),
  maker: fc.constantFrom(null, 1, 2),
} as const
type Field = keyof typeof VALUES
const FIELDS = Object.keys(VALUES) as Field[]
type Stored = Readonly<Record<Field, string | number | boolean | null>>

const HEADERS: Readonly<Record<Field, string>> = {
  name: 'name',
  amount: 'amount',
  price: 'price',
  isOpen: 'is_open',
  kind: 'kind',
  day: 'day',
  maker: 'maker',
}
const MAKERS: Readonly<Record<number, string>> = { 1: 'Acme', 2: 'Umbrella' }

function typed(field: Field, value: Stored[Field]): EditableRow[string] {
  if (value === null) return null
  if (field === 'maker') return MAKERS[Number(value)] ?? null
  if (field === 'price') return Number(value)
  return field === 'day' ? new Date(`${value}T00:00:00Z`) : value
}

const record = fc.record(VALUES) as fc.Arbitrary<Stored>
const change = fc
  .record({ at: fc.nat(RECORDS - 1), field: fc.constantFrom(...FIELDS), from: record })
  .map(({ at, field, from }) => ({ at, field, value: from[field] }))
const world = fc.record({
  records: fc.array(record, { minLength: RECORDS, maxLength: RECORDS }),
  yours: fc.array(change, { maxLength: 8 }),
  theirs: fc.array(change, { maxLength: 8 }),
  marks: fc.array(
    fc.record({ at: fc.nat(RECORDS - 1), text: fc.constantFrom('yes', 'Ja', 'はい', 'x', 1, true, 'no', 'Nein', '') }),
    { maxLength: 3 },
  ),
  gone: fc.option(fc.nat(RECORDS - 1)),
  used: fc.option(fc.nat(RECORDS - 1)),
  onConflict: fc.constantFrom('fail', 'yours', 'theirs'),
  order: fc.shuffledSubarray(
    Array.from({ length: RECORDS }, (_, at) => at),
    { minLength: RECORDS },
  ),
})

/** The marked records. The last mark of a row counts. */
function markedIn(marks: readonly { at: number; text: EditableRow[string] }[]): ReadonlySet<number> {
  const last = new Map(marks.map(({ at, text }) => [at, text]))
  return new Set([...last].filter(([, text]) => !['no', 'Nein', ''].includes(String(text))).map(([at]) => at))
}

function withChanges(records: readonly Stored[], changes: readonly { at: number; field: Field; value: unknown }[]) {
  const changed = records.map(one => ({ ...one }) as Record<Field, unknown>)
  for (const { at, field, value } of changes) (changed[at] as Record<Field, unknown>)[field] = value
  return changed as Stored[]
}

describeDialects('the import of an edited file', dialect => {
  const { kit } = dialect
  const makers = kit.table('makers', { id: kit.integer().primaryKey(), name: kit.text(20).notNull().unique() })
  const goods = kit.table('goods', {
    id: kit.integer().primaryKey(),
    name: kit.text(20).notNull(),
    amount: kit.integer(),
    price: kit.decimal(10, 2),
    isOpen: kit.boolean().notNull().default(false),
    kind: kit.enumeration(['new', 'old, used']),
    day: kit.date(),
    maker: kit.foreignKey(makers),
  })
  const orders = kit.table('orders', { id: kit.integer().primaryKey(), item: kit.foreignKey(goods).notNull() })
  const api = useApi(dialect, {
    tables: { makers, goods, orders },
    resources: {
      goods: BulkImportableViewSet({
        model: goods,
        serializer: BaseModelSerializer(goods, { fields: ['id', ...FIELDS] }),
        permissionClasses: [AllowAny],
        importFileConfig: {
          fileFormat: 'xlsx',
          order: ['goods'],
          models: {
            goods: importModel({
              model: goods,
              fields: ['id', 'name', 'amount', 'price', 'isOpen', 'kind', 'day'],
              uniqueFields: ['id'],
              foreignKeys: { maker: importForeignKey({ model: makers, lookupField: 'name', sourceField: 'maker' }) },
            }),
          },
        },
      }),
    },
  })
  const rows = async () =>
    (await api.get('/goods/?ordering=id')).data<(Stored & { id: number })[]>().map(row => {
      return { id: row.id, ...Object.fromEntries(FIELDS.map(field => [field, row[HEADERS[field] as Field]])) }
    })

  test('is the three-way merge with deletions, and names every conflict', async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ records, yours, theirs, marks, gone, used, onConflict, order }) => {
        await api.clear()
        await api.database.transaction(async () => {
          await insertMany(makers, [
            { id: 1, name: 'Acme' },
            { id: 2, name: 'Umbrella' },
          ])
          await insertMany(goods, records.map((one, at) => ({ id: at + 1, ...one })) as never)
        })
        const exported = (await api.post('/goods/export/', { file_type: 'xlsx', for_editing: true })).bytes
        const mine = withChanges(records, yours)
        const file = await editedWorkbook(exported, sheet => {
          for (const { at, field } of yours) {
            const row = sheet.find(one => String(one[ID]) === String(at + 1)) as EditableRow
            row[HEADERS[field]] = typed(field, (mine[at] as Stored)[field])
          }
          for (const { at, text } of marks) (sheet[at] as EditableRow)[MARK] = text
          return order.map(at => sheet[at] as EditableRow)
        })
        const now = withChanges(records, theirs)
        await api.database.transaction(async () => {
          for (const [at, one] of now.entries()) {
            await currentDb()
              .update(goods)
              .set(one as never)
              .where(eq(goods.id, at + 1))
          }
          if (gone !== null) {
            await currentDb()
              .delete(goods)
              .where(eq(goods.id, gone + 1))
          }
          if (used !== null && used !== gone) await insertMany(orders, [{ id: 1, item: used + 1 }])
        })
        const marked = markedIn(marks)
        const isChanged = (at: number, by: readonly Stored[]) =>
          FIELDS.some(field => (by[at] as Stored)[field] !== (records[at] as Stored)[field])
        // A marked row that was edited deletes nothing.
        const isUnclear = (at: number) => marked.has(at) && isChanged(at, mine)
        const isKept = (at: number) => isChanged(at, now) && onConflict === 'theirs' && !isUnclear(at)
        const refused = records.flatMap((_, at) => {
          if (at === gone) return marked.has(at) ? [`${at} non_field_errors`] : isChanged(at, mine) ? [`${at} id`] : []
          const isHeld = (isChanged(at, now) && onConflict === 'fail') || at === used
          const isRefused = isUnclear(at) || (marked.has(at) && isHeld && !isKept(at))
          return isRefused ? [`${at} non_field_errors`] : []
        })
        const isConflict = (at: number, field: Field) => {
          const [base, here, there] = [records, mine, now].map(all => (all[at] as Stored)[field])
          return here !== base && there !== base && here !== there
        }
        const conflicts = records.flatMap((_, at) =>
          onConflict === 'fail' && !marked.has(at) && at !== gone
            ? FIELDS.filter(field => isConflict(at, field)).map(field => ({ at, field }))
            : [],
        )
        const reasons = [...refused, ...conflicts.map(({ at, field }) => `${at} ${HEADERS[field]}`)]
        const failed = new Set(reasons.map(reason => parseInt(reason, 10)))
        const deleted = [...marked].filter(at => !failed.has(at) && !isKept(at))
        const expected = records.flatMap((base, at) => {
          const [here, there] = [mine[at] as Stored, now[at] as Stored]
          if (at === gone || deleted.includes(at)) return []
          if (failed.has(at) || marked.has(at)) return [{ id: at + 1, ...there }]
          const merged = FIELDS.map(field => {
            if (here[field] === base[field]) return [field, there[field]]
            return [field, isConflict(at, field) && onConflict === 'theirs' ? there[field] : here[field]]
          })
          return [{ id: at + 1, ...Object.fromEntries(merged) }]
        })
        const send = (parts: Readonly<Record<string, string>>) => {
          const named = Object.entries({ append_data: 'true', on_conflict: onConflict, ...parts })
          const sent = form(
            { name: 'file', filename: 'goods.xlsx', content: file },
            ...named.map(([name, value]) => ({ name, value })),
          )
          return api.post('/goods/import-from-file/', undefined, sent)
        }
        if ([...marked].some(at => !isUnclear(at))) {
          const before = await rows()
          expect((await send({})).status).toBe(400)
          expect(await rows()).toEqual(before)
        }
        const answer = await send({ delete_marked: 'true' })
        const { errors, ...counts } = answer.data<{ errors: { row: number; field: string }[]; failed: number }>()
        expect(await rows()).toEqual(expected)
        const reported = errors.map(({ row, field }) => `${order[row - 2]} ${field}`)
        expect(reported.toSorted()).toEqual(reasons.toSorted())
        expect(counts).toMatchObject({
          processed: RECORDS,
          failed: failed.size,
          created: 0,
          deleted: deleted.length,
          missing: 0,
        })
      }),
      { numRuns: cases(40) },
    )
  })
})
