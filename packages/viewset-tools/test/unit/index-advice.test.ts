import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cases } from '../../../viewset/test/support/cases.ts'
import { type AdvisedIndex, advise } from '../../src/advice/advise.ts'
import type { RowsNeed } from '../../src/advice/needs.ts'
import { type OrderedIndex, orderedIndexes, servesRows } from '../../src/advice/serves.ts'
import type { CatalogueIndex, CatalogueTable } from '../../src/catalogue/catalogue.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e', 'id']
const names = (maxLength: number) => fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength })
const order = fc.uniqueArray(fc.record({ name: fc.constantFrom(...NAMES), descending: fc.boolean() }), {
  selector: ({ name }) => name,
  minLength: 1,
  maxLength: 4,
})

const index: fc.Arbitrary<CatalogueIndex> = fc
  .record({
    name: fc.uuid(),
    unique: fc.boolean(),
    constraint: fc.constant(false),
    columns: order,
    order,
    expressions: fc.constant([]),
    covering: fc.boolean(),
    valid: fc.boolean(),
  })
  .map(made => ({ ...made, order: made.columns }))

const table: fc.Arbitrary<CatalogueTable> = fc.record({
  schema: fc.constant(null),
  name: fc.constant('rows'),
  kind: fc.constant('table' as const),
  storage: fc.constant('own' as const),
  columns: fc.constant([]),
  primaryKey: fc.constant(['id']),
  references: fc.constant([]),
  indexes: fc.array(index, { maxLength: 4 }),
})

const needs = fc.array(
  fc.record({
    equal: names(2),
    flags: names(1),
    order: fc.oneof(order, fc.constant([])),
    weight: fc.constantFrom(1, 2, 3),
  }),
  { maxLength: 8 },
)

const asIndex = ({ columns }: AdvisedIndex): OrderedIndex => ({
  columns: columns.map(name => ({ name, descending: false })),
  uniqueTo: undefined,
})
const begins = (part: readonly string[], whole: readonly string[]) => part.every((name, at) => whole[at] === name)

test('advice serves all that is needed, by no index that could be left out or that begins another one', () => {
  let advices = 0
  const rule = fc.property(table, needs, (rows, asked) => {
    const wanted = asked.map(
      (need, at): RowsNeed => ({
        ...need,
        kind: 'rows',
        table: rows,
        weight: need.weight as RowsNeed['weight'],
        reason: { resource: 'Rows', request: String(at) },
      }),
    )
    const advised = advise(wanted, new Set())
    advices += advised.length
    const there = orderedIndexes(rows)
    const unserved = (indexes: readonly AdvisedIndex[]) =>
      wanted.filter(need => ![...there, ...indexes.map(asIndex)].some(each => servesRows(each, need)))
    expect(
      unserved(advised).filter(({ equal, flags, order: terms }) => equal.length + flags.length + terms.length > 0),
    ).toEqual([])
    for (const each of advised) {
      const others = advised.filter(other => other !== each)
      expect(unserved(others)).not.toEqual([])
      const whole = [
        ...others.map(({ columns }) => columns),
        ...there.map(({ columns }) => columns.map(({ name }) => name)),
      ]
      expect(whole.filter(columns => begins(each.columns, columns))).toEqual([])
      for (const { name, unique, covering, columns } of rows.indexes) {
        if (name === null || !each.replaces.includes(name)) continue
        // What an index refuses, or tells without a look at the rows, another one does not.
        expect({ unique, covering }).toEqual({ unique: false, covering: false })
        const own = columns?.map(column => column.name) ?? []
        expect(begins(own, each.columns)).toBe(true)
      }
    }
  })
  fc.assert(rule, { numRuns: cases(2_000) })
  expect(advices).toBeGreaterThan(cases(2_000))
})
