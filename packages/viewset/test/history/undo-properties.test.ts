import fc from 'fast-check'
import { currentDb, type HistoryValues, insertMany } from 'viewset'
import { expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { cases } from '../support/cases.ts'
import { describeDialects } from '../support/dialects.ts'
import { TownBase, townConfig } from '../support/undo-models.ts'
import { UndoWorld } from '../support/undo-world.ts'

const row = fc
  .record({
    iso: fc.constantFrom('NO', 'SE'),
    title: fc.constantFrom('Norway', 'Sweden', 'North'),
    code: fc.constantFrom('A', 'B', 'C', 'D'),
    name: fc.constantFrom('Oslo', 'Bergen', 'Moss'),
    people: fc.constantFrom('', '1', '2'),
    labels: fc.constantFrom('', 'port', 'old', 'old;port'),
  })
  .map(({ iso, title, code, name, people, labels }) => `${iso},${title},${code},${name},${people},${labels},`)
const deletion = fc.constantFrom('A', 'B', 'C', 'D').map(code => `,,${code},,,,x`)
const file = fc.array(fc.oneof({ weight: 6, arbitrary: row }, { weight: 1, arbitrary: deletion }), { maxLength: 6 })
const filled = fc.array(row, { minLength: 1, maxLength: 6 })
const imports = fc.record({ rows: file, append: fc.boolean() })

type Edit =
  | { readonly kind: 'patch'; readonly code: string; readonly change: Readonly<Record<string, unknown>> }
  | { readonly kind: 'delete' | 'visit'; readonly code: string }
  | { readonly kind: 'import'; readonly rows: readonly string[] }

const code = fc.constantFrom('A', 'B', 'C', 'D')
const change = fc.oneof(
  fc.record({ name: fc.constantFrom('Oslo', 'Hamar') }),
  fc.record({ people: fc.constantFrom(null, 1, 9) }),
  fc.record({ labels: fc.constantFrom([], [1], [1, 2]) }),
)
const edit: fc.Arbitrary<Edit> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('patch' as const), code, change }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('delete' as const, 'visit' as const), code }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('import' as const), rows: filled }) },
)

/** Whether a row stores a town that an earlier row has deleted. */
function storesAgain(rows: readonly string[]): boolean {
  const codes = rows.map(row => row.split(',')[2])
  return rows.some((row, at) => row.endsWith('x') && codes.lastIndexOf(codes[at]) > at)
}

interface Report {
  readonly rows: readonly {
    readonly model: string
    readonly record: string
    readonly outcome: string
    readonly fields: readonly string[]
    readonly why: string
  }[]
}

describeDialects('an undo after random changes', dialect => {
  const world = new UndoWorld(dialect, tables => ({ towns: TownBase(townConfig(tables)) }))
  const { api, tables } = world
  type Stored = Awaited<ReturnType<UndoWorld['stored']>>

  const restart = async () => {
    await api.clear()
    await world.seed()
  }
  const importFile = async ({ rows, append }: { readonly rows: readonly string[]; readonly append: boolean }) => {
    const response = await world.send(rows, { append })
    return response.status < 300 ? (response.data<{ job?: string } | null>()?.job ?? undefined) : undefined
  }
  const apply = async (one: Edit) => {
    if (one.kind === 'import') return void (await importFile({ rows: one.rows, append: true }))
    const town = (await world.stored()).towns.find(({ code }) => code === one.code)
    if (!town) return
    if (one.kind === 'patch') await api.patch(`/towns/${town.id}/`, one.change, { as: 'ben' })
    else if (one.kind === 'delete') await api.delete(`/towns/${town.id}/`, { as: 'ben' })
    else await api.database.use(() => insertMany(tables.visits, [{ town: town.id }]))
  }
  /** The entries of a job, by model and record. */
  const entriesOf = (job: string) =>
    api.database.use(async () => {
      const found = new Map<string, { action: string; before: HistoryValues | null; after: HistoryValues | null }[]>()
      for (const [model, table] of Object.entries({ countries: tables.countriesHistory, towns: tables.townsHistory })) {
        for (const entry of (await currentDb().select().from(table)).toSorted((a, b) => a.id - b.id)) {
          if (entry.job !== job) continue
          const key = `${model} ${entry.record}`
          found.set(key, [...(found.get(key) ?? []), entry])
        }
      }
      return found
    })
  const recordsOf = ({ countries, towns }: Stored): ReadonlyMap<string, Readonly<Record<string, unknown>>> =>
    new Map<string, Readonly<Record<string, unknown>>>([
      ...countries.map(country => [`countries ${country.id}`, country] as const),
      ...towns.map(town => [`towns ${town.id}`, town] as const),
    ])

  test('brings each record back, or says why not; changes of others stay', async () => {
    const property = fc.asyncProperty(filled, imports, fc.array(edit, { maxLength: 4 }), async (first, file, edits) => {
      await restart()
      await importFile({ rows: first, append: true })
      const before = recordsOf(await world.stored())
      const job = await importFile(file)
      if (job === undefined) return
      const imported = recordsOf(await world.stored())
      for (const one of edits) await apply(one)
      const edited = recordsOf(await world.stored())
      const touched = await entriesOf(job)
      if (touched.size === 0) return
      const { state, result } = await world.undo(job)
      expect(state).toBe('succeeded')
      const after = recordsOf(await world.stored())
      const reported = new Map((result as object as Report).rows.map(one => [`${one.model} ${one.record}`, one]))
      for (const key of new Set([...edited.keys(), ...after.keys()])) {
        if (!touched.has(key)) expect(after.get(key), key).toEqual(edited.get(key))
      }
      for (const key of touched.keys()) {
        const report = reported.get(key)
        const [old, now] = [before.get(key), after.get(key)]
        const isReversed = report === undefined || report.outcome === 'reversed'
        if (!isReversed) expect(report.why, key).not.toBe('')
        for (const name of Object.keys({ ...old, ...now })) {
          const wasEdited = JSON.stringify(edited.get(key)?.[name]) !== JSON.stringify(imported.get(key)?.[name])
          const isSame = JSON.stringify(now?.[name]) === JSON.stringify(old?.[name])
          const wasImported = JSON.stringify(imported.get(key)?.[name]) !== JSON.stringify(old?.[name])
          // What somebody has changed since is as they left it.
          if (wasEdited && edited.has(key) && now && name !== 'labels')
            expect(now[name]).toEqual(edited.get(key)?.[name])
          if (isReversed && wasImported && !wasEdited) expect(isSame, `${key} ${name}`).toBe(true)
          if (!isReversed && old && now && !isSame && wasImported && report.outcome === 'partly') {
            expect([...report.fields, 'labels'], key).toContain(name)
          }
        }
        if (isReversed) expect(now === undefined, key).toBe(old === undefined && !(edited.has(key) && now))
      }
    })
    await fc.assert(property, { numRuns: cases(150) })
  })

  test('of a stack of imports, newest first, ends where it began', async () => {
    const property = fc.asyncProperty(
      filled,
      fc.array(filled, { minLength: 3, maxLength: 3 }),
      async (first, stack) => {
        await restart()
        await importFile({ rows: first, append: true })
        const before = await world.stored()
        const jobs: string[] = []
        for (const rows of stack) jobs.push((await importFile({ rows, append: true })) ?? '')
        for (const job of jobs.toReversed()) {
          if ((await entriesOf(job)).size > 0) expect((await world.undo(job)).message).toBe('')
        }
        expect(await world.stored()).toEqual(before)
      },
    )
    await fc.assert(property, { numRuns: cases(75) })
  })

  test('comes to the same, wherever its process is killed', async () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true })
    const property = fc.asyncProperty(
      filled,
      imports,
      fc.array(share, { maxLength: 3 }),
      async (first, file, kills) => {
        // SQLite may give a deleted record's id to the one that a later row stores under its code: that one is kept.
        fc.pre(!storesAgain(file.rows))
        await restart()
        await importFile({ rows: first, append: true })
        const before = await world.stored()
        const job = await importFile(file)
        if (job === undefined || (await entriesOf(job)).size === 0) return
        const imported = await world.stored()
        const { id } = (await world.ask(job)).data<JobData>()
        for (const part of kills) {
          const wasKilled = await world.runUntil(id, 1 + Math.floor(part * 60))
          if (wasKilled && (await world.job(id)).state !== 'succeeded') expect(await world.stored()).toEqual(imported)
        }
        await world.run(id)
        const { state, result } = await world.job(id)
        expect(state).toBe('succeeded')
        const { kept, failed, out_of_reach } = result as Record<string, unknown>
        expect([kept, failed, out_of_reach]).toEqual([0, 0, 0])
        const withoutLabels = ({ countries, towns }: Stored) => ({
          countries,
          towns: towns.map(({ labels: _, ...t }) => t),
        })
        expect(withoutLabels(await world.stored())).toEqual(withoutLabels(before))
      },
    )
    await fc.assert(property, { numRuns: cases(100) })
  })
})
