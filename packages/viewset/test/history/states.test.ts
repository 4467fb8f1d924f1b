import fc from 'fast-check'
import { AllowAny, BaseModelSerializer, BaseViewSet, HistoryModelMixin, ManyIdOnlyField } from 'viewset'
import { kit as c } from 'viewset/sqlite'
import { expect, test } from 'vitest'
import { historyOf } from '../../src/model/history.ts'
import { StateWalk, type StepEntry } from '../../src/viewset/history/states.ts'
import { translationOf } from '../../src/viewset/history/translation.ts'

const tags = c.table('tags', { id: c.integer().primaryKey() })
const books = c.table('books', { id: c.integer().primaryKey(), a: c.integer(), b: c.integer() })
const bookTags = c.table('book_tags', {
  id: c.integer().primaryKey(),
  book: c.foreignKey(books).notNull(),
  tag: c.foreignKey(tags).notNull(),
})
c.HistoryTable(books, { renamed: { old_a: 'a' }, dropped: { gone: { readableBy: () => true } } })
BaseViewSet.add(HistoryModelMixin)({
  model: books,
  serializer: BaseModelSerializer(books, {
    fields: ['id', 'a', 'b'],
    extra: { tags: ManyIdOnlyField({ queryset: tags, through: bookTags }) },
  }),
  permissionClasses: [AllowAny],
})
const history = historyOf(books)
if (!history) throw new Error('the model has a history')
const translation = translationOf(history)

interface Book {
  readonly a: number
  readonly b: number
  readonly gone: number
  readonly tags: readonly number[]
}

type Change =
  | { readonly kind: 'set'; readonly values: Partial<Book> }
  | { readonly kind: 'delete' }
  | { readonly kind: 'create'; readonly book: Book }

const linked = fc.subarray([1, 2, 3, 4])
const book = fc.record({ a: fc.nat(2), b: fc.nat(2), gone: fc.nat(2), tags: linked })
const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('set' as const),
      values: fc.record({ a: fc.nat(2), b: fc.nat(2), gone: fc.nat(2), tags: linked }, { requiredKeys: [] }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('create' as const), book }) },
)

const without = (some: readonly number[], others: readonly number[]) => some.filter(id => !others.includes(id))

/** Makes changes as a database does. Returns the entries, the oldest first, and the state after each of them. */
function lived(changes: readonly Change[], renamedAt: number) {
  const states: (Book | null)[] = []
  const entries: StepEntry[] = []
  let now: Book | null = null
  const add = (action: StepEntry['action'], before: object | null, after: object | null, state: Book | null) => {
    const id = entries.length + 1
    // Older entries have the old name of the column.
    const named = (values: object | null) =>
      values &&
      Object.fromEntries(Object.entries(values).map(([k, v]) => [k === 'a' && id < renamedAt ? 'old_a' : k, v]))
    entries.push({
      id,
      at: `2026-01-01T00:00:00.${String(id).padStart(6, '0')}Z`,
      action,
      before: named(before),
      after: named(after),
    })
    states.push(state)
    now = state
  }
  for (const one of changes) {
    const stored: Book | null = now
    if (one.kind === 'create' && stored === null) add('create', null, one.book, one.book)
    // Links of a deleted record are in no entry of the delete.
    else if (one.kind === 'delete' && stored !== null) {
      const { tags: _, ...columns } = stored as Book
      add('delete', columns, null, null)
    } else if (one.kind === 'set' && stored !== null) {
      const { tags = (stored as Book).tags, ...columns } = one.values
      const names = Object.keys(columns).filter(name => Reflect.get(columns, name) !== Reflect.get(stored, name))
      const pick = (values: object) => Object.fromEntries(names.map(name => [name, Reflect.get(values, name)]))
      const [removed, added] = [without((stored as Book).tags, tags), without(tags, (stored as Book).tags)]
      const isLinked = removed.length + added.length > 0
      if (names.length === 0 && !isLinked) continue
      const [old, fresh] = [pick(stored), pick(columns)]
      const next = { ...(stored as Book), ...columns, tags }
      add(
        'update',
        { ...old, ...(isLinked && { tags: removed }) },
        { ...fresh, ...(isLinked && { tags: added }) },
        next,
      )
    }
  }
  return { entries, states, now: now as Book | null }
}

function walked(changes: readonly Change[], renamedAt: number, points: readonly number[]) {
  const { entries, states, now } = lived(changes, renamedAt)
  const chosen = points.map(point => point % Math.max(entries.length, 1)).filter(() => entries.length > 0)
  const current = now && { id: 1, a: now.a, b: now.b }
  const links = new Map([['tags', now?.tags]])
  const walk = new StateWalk(
    translation,
    chosen.map(index => ({ after: index + 1 })),
    current,
    links,
  )
  for (const entry of entries.toReversed()) {
    walk.back(entry)
    if (walk.isComplete) break
  }
  return { walked: walk.end(), expected: chosen.map(index => states[index] as Book | null), isGone: now === null }
}

test('a state goes back from now over any changes, also of records that were deleted since', () => {
  fc.assert(
    fc.property(
      book,
      fc.array(change, { maxLength: 8 }),
      fc.nat(9),
      fc.array(fc.nat(), { maxLength: 3 }),
      (...given) => {
        const [first, changes, renamedAt, points] = given
        const { walked: found, expected } = walked([{ kind: 'create', book: first }, ...changes], renamedAt, points)
        expect(found.doubt).toBeUndefined()
        for (const [at, state] of found.states.entries()) {
          const book = expected[at] ?? null
          if (book === null) {
            expect(state?.columns).toBeNull()
            continue
          }
          expect(state?.columns).toMatchObject({ a: book.a, b: book.b })
          expect([...(state?.links.get('tags') ?? [])].toSorted()).toEqual([...book.tags].toSorted())
        }
      },
    ),
    { numRuns: 500 },
  )
})

test('two states differ in a dropped column exactly if an entry between them has changed it', () => {
  fc.assert(
    fc.property(book, fc.array(change, { maxLength: 8 }), fc.nat(), fc.nat(), (first, changes, from, to) => {
      const { walked: found, expected } = walked([{ kind: 'create', book: first }, ...changes], 0, [from, to])
      const [old, now] = expected
      if (!old || !now) return
      const [before, after] = found.states.map(state => state?.dropped.gone)
      // What no entry has changed is known of neither.
      if (before !== undefined || after !== undefined) expect([before, after]).toEqual([old.gone, now.gone])
      else expect(old.gone).toBe(now.gone)
    }),
    { numRuns: 500 },
  )
})
