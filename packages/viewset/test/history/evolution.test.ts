import { sql } from 'drizzle-orm'
import type { PgColumnBuilderBase } from 'drizzle-orm/pg-core'
import fc from 'fast-check'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  type ColumnKit,
  currentDb,
  HistoryModelMixin,
  importModel,
  type Model,
} from 'viewset'
import { expect, test } from 'vitest'
import { modelInfo } from '../../src/model/model-info.ts'
import { executorOf } from '../../src/store/connection/session.ts'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { TestApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeDialects, type TestDialect } from '../support/dialects.ts'
import {
  changesOf,
  type EvolvingModel,
  evolvingModels,
  isBoss,
  type LaterColumn,
  laterColumns,
  MISFIT,
} from '../support/evolving-models.ts'
import { LaterApi } from '../support/later-api.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'

const SEED = 20_261_128
const READERS = ['boss', 'ann'] as const
const USERS = { boss: { id: 'boss' }, ann: { id: 'ann' } }

type Values = Readonly<Record<string, unknown>>

/** What happens to the records of one model, by the names of the first release. */
interface Scenario {
  readonly model: EvolvingModel
  readonly changes: Parameters<typeof laterColumns>[2]
  readonly created: Values
  readonly patches: readonly Values[]
  /** Of a record that is deleted. */
  readonly deleted: Values
  /** What an import does: changes one record, creates one, deletes one. */
  readonly before: Values
  readonly after: Values
  readonly added: Values
  readonly gone: Values
  readonly undoneBy: (typeof READERS)[number]
  readonly pairs: readonly (readonly [number, number])[]
  readonly revertTo: number
}

function scenarioOf(model: EvolvingModel): fc.Arbitrary<Scenario> {
  const all = fc.record(
    Object.fromEntries(model.columns.map(({ key, kind }) => [key, fc.option(fc.constantFrom(...kind.values))])),
  )
  const some = fc.record(
    Object.fromEntries(model.columns.map(({ key, kind }) => [key, fc.option(fc.constantFrom(...kind.values))])),
    { requiredKeys: [] },
  )
  return fc.record({
    model: fc.constant(model),
    changes: changesOf(model),
    created: all,
    patches: fc.array(some, { minLength: 1, maxLength: 4 }),
    deleted: all,
    before: all,
    after: all,
    added: all,
    gone: all,
    undoneBy: fc.constantFrom(...READERS),
    pairs: fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 2, maxLength: 2 }),
    revertTo: fc.nat(),
  })
}

interface Step {
  readonly action: 'create' | 'update' | 'delete'
  /** The changed columns; all of a new or a deleted record. */
  readonly before: Values | null
  readonly after: Values | null
}

/** A record in memory: its states, one after each entry. */
class Remembered {
  readonly steps: Step[] = []
  readonly states: (Values | null)[] = []

  get now(): Values | null {
    return this.states.at(-1) ?? null
  }

  create(values: Values): void {
    this.#add({ action: 'create', before: null, after: values }, values)
  }

  patch(change: Values): void {
    const differing = Object.keys(change).filter(key => !isSame(change[key], this.now?.[key]))
    if (differing.length === 0) return
    const pick = (values: Values | null) => Object.fromEntries(differing.map(key => [key, values?.[key]]))
    this.#add({ action: 'update', before: pick(this.now), after: pick(change) }, { ...this.now, ...change })
  }

  delete(): void {
    this.#add({ action: 'delete', before: this.now, after: null }, null)
  }

  #add(step: Step, state: Values | null): void {
    this.steps.push(step)
    this.states.push(state)
  }
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a ?? null) === JSON.stringify(b ?? null)
}

type Reader = (typeof READERS)[number]

/** The columns of a table whose columns are random. */
type Columns = Record<string, PgColumnBuilderBase>

function tableOf(c: ColumnKit, name: string, columns: Columns): Model {
  return c.table(name, { id: c.integer().primaryKey(), code: c.text(10).notNull().unique(), ...columns })
}

/** A value at a time, in its form of today. */
interface Past {
  readonly value: unknown
  readonly isMisfit: boolean
}

/** A model through both releases. Records have the names of the first release. */
class Evolution {
  readonly path: string
  readonly scenario: Scenario
  readonly columns: readonly LaterColumn[]
  readonly first: Model
  readonly later: Model
  readonly tables: Readonly<Record<string, unknown>>
  readonly kept = new Remembered()
  readonly removed = new Remembered()
  /** The ids of records by their codes. */
  readonly ids = new Map<string, number>()
  job = ''

  constructor(c: ColumnKit, scenario: Scenario) {
    const { model, changes } = scenario
    const { name } = model
    this.path = `/${name}/`
    this.scenario = scenario
    this.columns = laterColumns(c, model, changes)
    this.first = tableOf(c, name, Object.fromEntries(model.columns.map(({ key, kind }) => [key, kind.make(c)])))
    this.tables = { [name]: this.first, ...c.HistoryTable(this.first) }
    const left = this.columns.filter(({ isDropped }) => !isDropped)
    this.later = tableOf(c, name, Object.fromEntries(left.map(({ laterKey, make }) => [laterKey, make(c)])))
    const dropped = this.columns.filter(({ isDropped }) => isDropped)
    c.HistoryTable(this.later, {
      renamed: Object.fromEntries(left.filter(one => one.key !== one.laterKey).map(one => [one.wire, one.laterKey])),
      dropped: Object.fromEntries(
        dropped.map(one => [one.wire, { readableBy: user => one.isReadableBy(String(user?.id)) }]),
      ),
    })
  }

  resource(release: 'first' | 'later') {
    const model = this[release]
    const keys = modelInfo(model).columns.map(({ key }) => key)
    const fields = keys.filter(key => key !== 'id')
    const secret = this.columns.filter(one => release === 'later' && !one.isDropped && !one.isReadableBy('ann'))
    return BulkImportableViewSet.add(HistoryModelMixin)({
      model,
      serializer: BaseModelSerializer(model, {
        fields: keys,
        readableBy: Object.fromEntries(secret.map(({ laterKey }) => [laterKey, isBoss])),
      }),
      permissionClasses: [AllowAny],
      importFileConfig: {
        fileFormat: 'csv',
        order: ['rows'],
        models: {
          rows: importModel({
            model,
            fields,
            uniqueFields: ['code'],
            deleteWhen: { sourceField: 'gone', equals: ['x'] },
          }),
        },
      },
    })
  }

  /** Makes the changes of the scenario with the first release. */
  async live(api: TestApi): Promise<void> {
    const { created, patches, deleted, before, after, added, gone } = this.scenario
    const as = { as: 'boss' }
    const create = async (code: string, values: Values) => {
      const answer = await api.post(this.path, { code, ...this.#wire(values) }, as)
      expect(answer.status, answer.text).toBe(201)
      this.ids.set(code, answer.data<{ id: number }>().id)
    }
    await create('kept', created)
    this.kept.create(created)
    for (const change of patches) {
      expect((await api.patch(`${this.path}${this.ids.get('kept')}/`, this.#wire(change), as)).status).toBe(200)
      this.kept.patch(change)
    }
    await create('removed', deleted)
    this.removed.create(deleted)
    expect((await api.delete(`${this.path}${this.ids.get('removed')}/`, as)).status).toBe(204)
    this.removed.delete()
    await create('changed', before)
    await create('gone', gone)
    const wires = this.columns.map(({ wire }) => wire)
    const row = (code: string, values: Values) =>
      [code, ...this.columns.map(({ key }) => cellOf(values[key])), ''].join()
    const rows = [`code,${wires},gone`, row('changed', after), row('added', added), `gone,${wires.map(() => '')},x`, '']
    const imported = await api.request('POST', `${this.path}import-from-file/`, {
      ...importForm(rows.join('\n')),
      ...as,
    })
    expect(imported.status, imported.text).toBe(201)
    this.job = imported.data<{ job: string }>().job
    const list = (await api.get(`${this.path}?page_size=100`, as)).data<{ id: number; code: string }[]>()
    for (const { id, code } of list) this.ids.set(code, id)
  }

  /** Changes the table, as a migration does: values that the new type cannot hold become null. */
  async migrate({ database }: TestApi): Promise<void> {
    const info = modelInfo(this.later)
    const run = (text: string) => executorOf(database).run({ text }, [])
    const table = `alter table ${info.name}`
    const retyped: LaterColumn[] = []
    await database.transaction(async () => {
      for (const [at, one] of this.columns.entries()) {
        const fate = this.scenario.changes[at]?.fate
        if (fate === 'renamed') await run(`${table} rename column "${one.wire}" to "${one.laterWire}"`)
        const isRetyped = fate?.endsWith('retyped')
        if (isRetyped) await run(`${table} add column new_${at} ${info.byKey.get(one.laterKey)?.sqlType}`)
        if (isRetyped || fate === 'dropped') await run(`${table} drop column "${one.wire}"`)
        if (!isRetyped) continue
        await run(`${table} rename column new_${at} to "${one.laterWire}"`)
        retyped.push(one)
      }
    })
    const { after, added } = this.scenario
    const now: [string, Values | null][] = [
      ['kept', this.kept.now],
      ['changed', after],
      ['added', added],
    ]
    if (retyped.length === 0) return
    await database.use(async () => {
      for (const [code, values] of now) {
        const set = retyped.map(one => {
          const value = one.convert(values?.[one.key] ?? null)
          const kind = info.byKey.get(one.laterKey)?.kind
          return [one.laterKey, value === MISFIT ? null : held(kind, value)]
        })
        await currentDb().update(this.later).set(Object.fromEntries(set)).where(sql`code = ${code}`)
      }
    })
  }

  /** The values of an entry as a reader sees them. */
  #shown(values: Values | null, code: string, reader: Reader, isWhole: boolean): Values | null {
    if (values === null) return null
    const entries = this.columns.flatMap((one): [string, unknown][] => {
      if (!(one.key in values) || !one.isReadableBy(reader)) return []
      return [[one.laterWire, this.#today(one, values[one.key]).value]]
    })
    return Object.fromEntries([
      ...(isWhole
        ? [
            ['id', this.ids.get(code)],
            ['code', code],
          ]
        : []),
      ...entries,
    ])
  }

  #today(one: LaterColumn, value: unknown): Past {
    const today = one.isDropped ? value : one.convert(value ?? null)
    return today === MISFIT ? { value, isMisfit: true } : { value: today, isMisfit: false }
  }

  /** The value of a column after an entry. What no later entry has changed is as the migration left it. */
  #past({ states, steps }: Remembered, at: number, one: LaterColumn): Past {
    const next = steps.findIndex(({ before }, index) => index > at && before !== null && one.key in before)
    const today = this.#today(one, states[at]?.[one.key])
    if (next !== -1 || !today.isMisfit || one.isDropped) return today
    return { value: null, isMisfit: false }
  }

  async check(api: LaterApi): Promise<void> {
    for (const reader of READERS) {
      await this.#checkReading(api, 'kept', this.kept, reader)
      await this.#checkReading(api, 'removed', this.removed, reader)
    }
    await this.#checkUndo(api)
    for (const reader of READERS) await this.#checkRevert(api, reader)
  }

  async #checkReading(api: LaterApi, code: string, record: Remembered, reader: Reader): Promise<void> {
    const path = `${this.path}${this.ids.get(code)}/`
    const list = (await api.get<Listed[]>(`${path}history/?page_size=100`, reader)).data.toReversed()
    const seen = record.steps.flatMap((step, at) => {
      const isWhole = step.action !== 'update'
      const before = this.#shown(step.before, code, reader, isWhole)
      const after = this.#shown(step.after, code, reader, isWhole)
      return step.action === 'update' && Object.keys(before ?? {}).length === 0 ? [] : [{ at, step, before, after }]
    })
    expect(list.map(({ action, before, after }) => ({ action, before, after }))).toEqual(
      seen.map(({ step: { action }, before, after }) => ({ action, before, after })),
    )
    for (const [index, { at }] of seen.entries()) {
      const answer = await api.get(`${path}?at=${list[index]?.at}`, reader)
      expect({ index, ...statusOf(answer), data: answer.data }).toEqual({
        index,
        ...this.#at(record, at, code, reader),
      })
    }
    for (const [some, other] of this.scenario.pairs) {
      const [from, to] = [some % seen.length, other % seen.length]
      const query = `from=${list[from]?.id}&to=${list[to]?.id}`
      const { data } = await api.get<{ changes: Changed[] }>(`${path}history/diff/?${query}`, reader)
      const expected = this.#difference(record, code, reader, seen[from]?.at ?? 0, seen[to]?.at ?? 0)
      expect(data.changes.toSorted(byField)).toEqual(expected.toSorted(byField))
    }
  }

  #fields(reader: Reader): readonly LaterColumn[] {
    return this.columns.filter(one => !one.isDropped && one.isReadableBy(reader))
  }

  /** The columns that have no value of today after an entry, as a reader sees them. */
  #misfits(record: Remembered, at: number, reader: Reader): readonly string[] {
    return this.#fields(reader).flatMap(one => (this.#past(record, at, one).isMisfit ? [one.laterWire] : []))
  }

  #at(record: Remembered, at: number, code: string, reader: Reader) {
    if (record.states[at] === null) return { status: 404, fields: [], data: null }
    const misfits = this.#misfits(record, at, reader)
    if (misfits.length > 0) return { status: 409, fields: misfits.toSorted(), data: null }
    const values = this.#fields(reader).map(one => [one.laterWire, this.#past(record, at, one).value])
    return { status: 200, fields: [], data: { id: this.ids.get(code), code, ...Object.fromEntries(values) } }
  }

  #difference(record: Remembered, code: string, reader: Reader, from: number, to: number): Changed[] {
    const stateOf = (at: number): Values => {
      if (record.states[at] === null) return {}
      const values = this.columns
        .filter(one => one.isReadableBy(reader))
        .map(one => [one.laterWire, this.#past(record, at, one).value])
      return { id: this.ids.get(code), code, ...Object.fromEntries(values) }
    }
    const [old, now] = [stateOf(from), stateOf(to)]
    return Object.keys({ ...old, ...now })
      .filter(field => !isSame(old[field], now[field]))
      .map(field => ({ field, before: old[field] ?? null, after: now[field] ?? null }))
  }

  async #checkRevert(api: LaterApi, reader: Reader): Promise<void> {
    const path = `${this.path}${this.ids.get('kept')}/`
    const list = (await api.get<Listed[]>(`${path}history/?page_size=100`, 'boss')).data.toReversed()
    const visible = (await api.get<Listed[]>(`${path}history/?page_size=100`, reader)).data.map(({ id }) => id)
    const at = this.scenario.revertTo % this.kept.steps.length
    const answer = await api.post<Values | null>(`${path}revert/`, { entry: list[at]?.id }, reader)
    if (!visible.includes(list[at]?.id ?? 0))
      return expect(statusOf(answer)).toEqual({ status: 400, fields: ['entry'] })
    const misfits = this.#misfits(this.kept, at, reader)
    if (misfits.length > 0) return expect(statusOf(answer)).toEqual({ status: 400, fields: misfits.toSorted() })
    const values = this.#fields(reader).map(one => [one.laterWire, this.#past(this.kept, at, one).value])
    expect(answer.data).toMatchObject(Object.fromEntries(values))
  }

  async #checkUndo(api: LaterApi): Promise<void> {
    const { undoneBy: reader, before, after, added, gone } = this.scenario
    const accepted = await api.post<JobData>(`/jobs/${this.job}/undo/`, undefined, reader)
    expect(accepted.status, accepted.text).toBe(202)
    await api.run(accepted.data.id)
    const { data } = await api.get<JobData>(`/jobs/${accepted.data.id}/`, reader)
    const rows = (data.result?.rows ?? []) as readonly { label: string; outcome: string; fields: readonly string[] }[]
    const found = rows.map(({ label, outcome, fields }) => ({ label, outcome, fields: fields.toSorted() }))
    const expected = [
      this.#undoneChange(before, after, reader),
      this.#undoneCreation(added, reader),
      this.#undoneDeletion(gone, reader),
    ]
    const labels = ['changed', 'added', 'gone']
    const reported = expected.flatMap((one, at) => {
      if (one.outcome === 'none' || one.outcome === 'away') return []
      return [{ label: labels[at], outcome: one.outcome, fields: one.fields.toSorted() }]
    })
    expect(found.toSorted(byLabel)).toEqual(reported.toSorted(byLabel))
    expect(data.result).toMatchObject({ out_of_reach: expected.filter(({ outcome }) => outcome === 'away').length })
    const stored = (await api.get<Values[]>(`${this.path}?page_size=100`, 'boss')).data
    for (const [at, { now }] of expected.entries()) {
      const record = stored.find(({ code }) => code === labels[at])
      if (now === null) expect(record).toBeUndefined()
      else expect(record).toMatchObject(now)
    }
  }

  /** The columns that an undo leaves, as a reader sees their names. */
  #left(columns: readonly LaterColumn[], reader: Reader): readonly string[] {
    return columns.flatMap(one => (one.isReadableBy(reader) ? [one.laterWire] : []))
  }

  #isSecret(columns: readonly LaterColumn[], reader: Reader): boolean {
    return columns.some(one => !one.isDropped && !one.isReadableBy(reader))
  }

  #state(values: Values): Values {
    const left = this.columns.filter(({ isDropped }) => !isDropped)
    return Object.fromEntries(
      left.map(one => {
        const today = this.#today(one, values[one.key])
        return [one.laterWire, today.isMisfit ? null : today.value]
      }),
    )
  }

  #undoneChange(before: Values, after: Values, reader: Reader): Undone {
    const changed = this.columns.filter(({ key }) => !isSame(before[key], after[key]))
    const fails = (one: LaterColumn) =>
      one.isDropped || this.#today(one, before[one.key]).isMisfit || this.#today(one, after[one.key]).isMisfit
    const [left, back] = [changed.filter(fails), changed.filter(one => !fails(one))]
    const now = this.#state(after)
    if (changed.length === 0) return { outcome: 'none', fields: [], now }
    if (this.#isSecret(changed, reader)) return { outcome: 'away', fields: [], now }
    const outcome = left.length === 0 ? 'reversed' : back.length > 0 ? 'partly' : 'kept'
    const reversed = back.map(one => [one.laterWire, this.#today(one, before[one.key]).value])
    return { outcome, fields: this.#left(left, reader), now: { ...now, ...Object.fromEntries(reversed) } }
  }

  #undoneCreation(added: Values, reader: Reader): Undone {
    const misfits = this.columns.filter(one => !one.isDropped && this.#today(one, added[one.key]).isMisfit)
    if (misfits.length === 0) return { outcome: 'reversed', fields: [], now: null }
    const now = this.#state(added)
    if (this.#isSecret(misfits, reader)) return { outcome: 'away', fields: [], now }
    return { outcome: 'kept', fields: this.#left(misfits, reader), now }
  }

  #undoneDeletion(gone: Values, reader: Reader): Undone {
    if (this.#isSecret(this.columns, reader)) return { outcome: 'away', fields: [], now: null }
    const fails = (one: LaterColumn) =>
      one.isDropped ? (gone[one.key] ?? null) !== null : this.#today(one, gone[one.key]).isMisfit
    const left = this.columns.filter(fails)
    const outcome = left.length > 0 ? 'partly' : 'reversed'
    return { outcome, fields: this.#left(left, reader), now: this.#state(gone) }
  }

  #wire(values: Values): Values {
    return Object.fromEntries(this.columns.flatMap(({ key, wire }) => (key in values ? [[wire, values[key]]] : [])))
  }
}

interface Listed {
  readonly id: number
  readonly action: string
  readonly at: string
  readonly before: Values | null
  readonly after: Values | null
}

interface Changed {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
}

interface Undone {
  readonly outcome: 'reversed' | 'partly' | 'kept' | 'none' | 'away'
  readonly fields: readonly string[]
  readonly now: Values | null
}

function byField(a: Changed, b: Changed): number {
  return a.field < b.field ? -1 : 1
}

function byLabel(a: { readonly label?: string | undefined }, b: { readonly label?: string | undefined }): number {
  return String(a.label) < String(b.label) ? -1 : 1
}

function statusOf({ status, errors = {} }: { readonly status: number; readonly errors: object | undefined }) {
  return { status, fields: Object.keys(errors).toSorted() }
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? `"${JSON.stringify(value).replaceAll('"', '""')}"` : String(value)
}

/** A value as records hold it. */
function held(kind: string | undefined, value: unknown): unknown {
  return kind === 'bigint' && value !== null ? BigInt(String(value)) : value
}

async function evolve(dialect: TestDialect, scenarios: readonly Scenario[]): Promise<void> {
  const c = dialect.kit
  const all = scenarios.map(scenario => new Evolution(c, scenario))
  const jobTables = c.JobTables()
  const jobs = () => ({
    tables: jobTables,
    queue: new ManualQueue(),
    files: new MemoryJobFiles(),
    adminPermissionClasses: [AllowAny],
  })
  const resourcesOf = (release: 'first' | 'later') =>
    Object.fromEntries(all.map(one => [one.scenario.model.name, one.resource(release)]))
  const first = await TestApi.start(dialect, {
    tables: Object.assign({}, jobTables, ...all.map(({ tables }) => tables)),
    users: USERS,
    resources: resourcesOf('first'),
    jobs: jobs(),
  })
  try {
    for (const one of all) await one.live(first)
    for (const one of all) await one.migrate(first)
    const later = new LaterApi(first.database, { users: USERS, resources: resourcesOf('later'), jobs: jobs() })
    await later.ready()
    for (const one of all) {
      await one.check(later).catch((error: Error) => {
        throw new Error(`${JSON.stringify(one.scenario, null, 1)}\n${error.message}`, { cause: error })
      })
    }
    expect([later.warnings, later.errors]).toEqual([[], []])
    await later.close()
  } finally {
    await first.close()
  }
}

describeDialects('the history of every model', dialect => {
  const models = evolvingModels(dialect.kit)

  test('stays true through renamed, dropped, retyped and secret columns, for each reader', async () => {
    // A part of the models in `npm test`, all of them in the long tests.
    const chosen = fc.sample(fc.shuffledSubarray([...models], { minLength: models.length }), { numRuns: 1, seed: SEED })
    const scenarios = (chosen[0] ?? []).slice(0, cases(models.length)).map((model, at) => {
      return fc.sample(scenarioOf(model), { numRuns: 1, seed: SEED + at })[0] as Scenario
    })
    await evolve(dialect, scenarios)
  })
})
