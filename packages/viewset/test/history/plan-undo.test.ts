import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { HistoryValues } from '../../src/model/tables/history-tables.ts'
import type { PastValues } from '../../src/viewset/history/translation.ts'
import { type EntryOfJob, ImportedRecords, leftBy, planUndo } from '../../src/viewset/undo/plan-undo.ts'

type State = Readonly<Record<string, unknown>> | null
type Change =
  | { readonly kind: 'set'; readonly name: string; readonly value: number }
  | { readonly kind: 'delete' }
  | { readonly kind: 'store'; readonly a: number; readonly b: number }

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('set' as const), name: fc.constantFrom('a', 'b'), value: fc.nat(2) }),
  fc.record({ kind: fc.constant('delete' as const) }),
  fc.record({ kind: fc.constant('store' as const), a: fc.nat(2), b: fc.nat(2) }),
)
const state: fc.Arbitrary<State> = fc.option(fc.record({ a: fc.nat(2), b: fc.nat(2) }))

interface Entry {
  readonly id: number
  readonly record: string
  readonly action: 'create' | 'update' | 'delete'
  readonly before: State
  readonly after: State
  readonly rows: null
  readonly fixed: null
  readonly parent: null
}

/** Makes changes as a database does, and the entries that a history has of them. */
function applied(start: State, changes: readonly Change[]): { readonly state: State; readonly entries: Entry[] } {
  let now = start
  const entries: Entry[] = []
  const add = (action: Entry['action'], before: State, after: State) =>
    entries.push({ id: entries.length + 1, record: '1', action, before, after, rows: null, fixed: null, parent: null })
  for (const one of changes) {
    if (one.kind === 'store' && now === null) {
      now = { a: one.a, b: one.b }
      add('create', null, now)
    } else if (one.kind === 'delete' && now !== null) {
      add('delete', now, null)
      now = null
    } else if (one.kind === 'set' && now !== null && now[one.name] !== one.value) {
      add('update', { [one.name]: now[one.name] }, { [one.name]: one.value })
      now = { ...now, [one.name]: one.value }
    }
  }
  return { state: now, entries }
}

const MODEL = { isIgnored: () => false, required: [] as string[], active: undefined, hidesDeleted: false }

/** Reads entries whose names and values are those of today, but for `old`, which is no column any more. */
const reader = {
  columnOf: () => undefined,
  read(values: HistoryValues | null): PastValues {
    const { '': redacted = [], tags, old, strange, ...columns } = values ?? {}
    return {
      columns,
      links: new Map(Array.isArray(tags) ? [['tags', tags]] : []),
      dropped: old === undefined ? {} : { old },
      redacted: redacted as string[],
      unknown: strange === undefined ? {} : { strange },
    }
  },
}
const importedRecords = (entries: readonly EntryOfJob[]) => {
  const records = new ImportedRecords(reader)
  records.add(entries)
  return records.all
}
const asIs = (columns: State) => ({ columns, links: {} })

/** The state after a step. */
function stepped(current: State, step: ReturnType<typeof planUndo>): State {
  if (!step || step.action === 'nothing') return current
  if (step.action === 'delete') return null
  return { ...current, ...step.values }
}

describe('the plan of an undo', () => {
  test('brings each record back to its state before the import, if it was not changed since', () => {
    fc.assert(
      fc.property(state, fc.array(change, { maxLength: 6 }), (start, changes) => {
        const imported = applied(start, changes)
        const [record] = importedRecords(imported.entries)
        const step = record && planUndo(record, asIs(imported.state), MODEL)
        expect(stepped(imported.state, step)).toEqual(start)
        if (step) expect([step.outcome, step.reasons]).toEqual(['reversed', []])
      }),
    )
  })

  test('leaves what others have changed since, and names it', () => {
    fc.assert(
      fc.property(
        state,
        fc.array(change, { maxLength: 4 }),
        fc.array(change, { maxLength: 4 }),
        (start, changes, edits) => {
          const imported = applied(start, changes)
          const { state: now } = applied(imported.state, edits)
          const [record] = importedRecords(imported.entries)
          const step = record && planUndo(record, asIs(now), MODEL)
          const end = stepped(now, step)
          if (!record || step === undefined) return
          if (step.outcome === 'reversed') {
            // An update brings back what the import has changed, and no more.
            const old = Object.entries(record.before).filter(([name, value]) => record.after[name] !== value)
            const isUpdate = record.existedBefore && record.existsAfter
            expect(end).toEqual(isUpdate ? { ...now, ...Object.fromEntries(old) } : start)
          } else {
            expect(step.reasons).not.toEqual([])
            // A field that is named is as the others left it.
            for (const name of leftBy(step)) expect(end?.[name]).toEqual(now?.[name])
            if (end !== null && start !== null && record.existsAfter && now !== null) {
              const isImported = (name: string) => name in record.before && record.before[name] !== record.after[name]
              const differing = ['a', 'b'].filter(name => end[name] !== start[name] && isImported(name))
              expect(differing.toSorted()).toEqual([...leftBy(step)].toSorted())
            }
          }
        },
      ),
    )
  })

  test('undoes a stack of imports, the newest first', () => {
    fc.assert(
      fc.property(state, fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 4 }), (start, imports) => {
        const stack: { before: State; entries: Entry[] }[] = []
        let now = start
        for (const changes of imports) {
          const { state: after, entries } = applied(now, changes)
          stack.push({ before: now, entries })
          now = after
        }
        for (const { before, entries } of stack.toReversed()) {
          const [record] = importedRecords(entries)
          if (record) now = stepped(now, planUndo(record, asIs(now), MODEL))
          expect(now).toEqual(before)
        }
        expect(now).toEqual(start)
      }),
    )
  })

  test('is empty a second time', () => {
    fc.assert(
      fc.property(state, fc.array(change, { maxLength: 4 }), (start, changes) => {
        const imported = applied(start, changes)
        const [record] = importedRecords(imported.entries)
        if (!record?.existsAfter || record.wasReplaced) return
        const again = planUndo(
          record,
          asIs(stepped(imported.state, planUndo(record, asIs(imported.state), MODEL))),
          MODEL,
        )
        // Of a created record, it says that it is gone.
        expect(again?.isGone ?? true).toBe(true)
      }),
    )
  })

  test('takes away the links that the import added, and no others', () => {
    const linked = (id: number, before: readonly string[], after: readonly string[]) => {
      const update = { record: '1', action: 'update' as const, rows: null, fixed: null, parent: null }
      return { ...update, id, before: { tags: before }, after: { tags: after } }
    }
    const [record] = importedRecords([linked(1, ['1', '2'], ['3']), linked(2, ['3'], ['2', '4'])])
    expect(record?.links.get('tags')).toEqual({ added: ['4'], removed: ['1'] })
    const step = record && planUndo(record, { columns: {}, links: { tags: ['2', '4', '9'] } }, MODEL)
    expect(step).toMatchObject({ action: 'update', links: { tags: ['2', '9', '1'] }, outcome: 'reversed' })
  })

  const planOf = (
    action: 'update' | 'delete' | 'create',
    before: State,
    after: State,
    current: State,
    model = MODEL,
  ) => {
    const entry = { id: 1, record: '1', action, before, after, rows: null, fixed: null, parent: null }
    const [record] = importedRecords([entry])
    return record && planUndo(record, asIs(current), model)
  }

  test('brings a deleted record back without a value that the history does not keep', () => {
    const plan = planOf('delete', { a: 1, '': ['salary'] }, null, null)
    expect(plan).toMatchObject({
      action: 'insert',
      values: { a: 1 },
      outcome: 'partly',
      reasons: [{ why: 'redacted', names: ['salary'] }],
    })
    expect(planOf('delete', { a: 1 }, null, null)).toMatchObject({ action: 'insert', outcome: 'reversed' })
  })

  test('does not bring a record back whose model needs a value that the history does not keep', () => {
    const needing = { ...MODEL, required: ['salary'] }
    expect(planOf('delete', { a: 1, '': ['salary'] }, null, null, needing)).toMatchObject({
      action: 'nothing',
      outcome: 'failed',
      reasons: [{ why: 'redacted', names: ['salary'] }],
    })
    expect(planOf('delete', { a: 1 }, null, null, needing)).toMatchObject({
      outcome: 'failed',
      reasons: [{ why: 'required', names: ['salary'] }],
    })
  })

  test('leaves fields of a changed record that the history does not keep, or the model no longer has', () => {
    const update = (name: string, before: unknown, after: unknown) =>
      planOf('update', { a: 1, [name]: before }, { a: 2, [name]: after }, { a: 2 })
    expect(update('', ['x'], ['x'])).toMatchObject({
      action: 'update',
      values: { a: 1 },
      outcome: 'partly',
      reasons: [{ why: 'redacted', names: ['x'] }],
    })
    expect(update('old', 1, 2)).toMatchObject({ values: { a: 1 }, outcome: 'partly', reasons: [{ why: 'dropped' }] })
    expect(update('old', 1, 1)).toMatchObject({ values: { a: 1 }, outcome: 'reversed' })
    expect(planOf('update', { old: 1 }, { old: 2 }, { a: 2 })).toMatchObject({ action: 'nothing', outcome: 'kept' })
  })

  test('has nothing to miss of a deleted record whose dropped column was empty', () => {
    expect(planOf('delete', { a: 1, old: null }, null, null)).toMatchObject({ outcome: 'reversed', reasons: [] })
    expect(planOf('delete', { a: 1, old: 'x' }, null, null)).toMatchObject({ outcome: 'partly' })
  })

  test('keeps a created record with a name that nothing explains: any column may have had it', () => {
    const kept = { outcome: 'kept', reasons: [{ why: 'dropped', names: ['strange'] }] }
    expect(planOf('create', null, { a: 1, strange: 1 }, { a: 1 })).toMatchObject(kept)
  })

  test('names a created record that is gone already', () => {
    expect(planOf('create', null, { a: 1 }, null)).toMatchObject({
      action: 'nothing',
      outcome: 'reversed',
      isGone: true,
    })
  })
})
