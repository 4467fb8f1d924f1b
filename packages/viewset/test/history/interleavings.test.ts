import fc from 'fast-check'
import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  currentDb,
  Database,
  HistoryModelMixin,
  importModel,
  insertMany,
} from 'viewset'
import { postgres } from 'viewset/pg'
import { sqlite } from 'viewset/sqlite'
import { expect, test } from 'vitest'
import { type TestResponse, useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeDialects, type TestDialect } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { MortalDriver } from '../support/mortal-driver.ts'
import { importForm } from '../support/multipart.ts'

/** What a client does. A change names the tag that the client has read last, if it has read the record. */
type Op =
  | { readonly kind: 'read' | 'delete' | 'revert'; readonly id: string }
  | { readonly kind: 'change'; readonly id: string; readonly text: string }
  | { readonly kind: 'bulk' | 'import'; readonly rows: Readonly<Record<string, string>> }
  | { readonly kind: 'undo' }

const id = fc.constantFrom('a', 'b')
const text = fc.constantFrom('1', '2', '3')
const rowsOf = (...names: readonly string[]): fc.Arbitrary<Readonly<Record<string, string>>> =>
  fc.dictionary(fc.constantFrom(...names), text, { minKeys: 1, maxKeys: names.length })
const op: fc.Arbitrary<Op> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('read' as const), id }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('change' as const), id, text }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('delete' as const, 'revert' as const), id }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('bulk' as const), rows: rowsOf('a', 'b') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('import' as const), rows: rowsOf('a', 'b', 'c') }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'undo' as const }) },
)
const programs = fc.array(fc.array(op, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 4 })

/** An operation with its answer: the text that was read, or whether it was carried out. */
interface Done {
  readonly op: Op
  readonly answer: string
}

interface Note {
  readonly text: string
  readonly version: number
}

/** What is stored, and what each client knows, as plain data. */
interface Model {
  readonly notes: Readonly<Record<string, Note>>
  readonly tags: readonly Readonly<Record<string, number>>[]
  /** The last import of each client: texts before and after, by record. */
  readonly imports: readonly (Readonly<Record<string, readonly [string | undefined, string]>> | undefined)[]
  readonly versions: number
}

const START = { a: '0', b: '0' } as const

function write(model: Model, texts: Readonly<Record<string, string | undefined>>, client?: number): Model {
  let { versions } = model
  const notes = { ...model.notes }
  const tags = [...model.tags]
  for (const [name, text] of Object.entries(texts)) {
    if (text === undefined) delete notes[name]
    else notes[name] = { text, version: ++versions }
    if (client !== undefined && text !== undefined) tags[client] = { ...tags[client], [name]: versions }
  }
  return { ...model, notes, tags, versions }
}

/** The models after an operation that gets this answer; none if it gets another one. */
function after(model: Model, client: number, { op, answer }: Done): readonly Model[] {
  const known = model.tags[client] ?? {}
  const isStale = (name: string) => known[name] !== undefined && known[name] !== model.notes[name]?.version
  const only = (expected: string, next: Model) => (answer === expected ? [next] : [])
  switch (op.kind) {
    case 'read': {
      const note = model.notes[op.id]
      if (!note) return only('404', model)
      const tags = model.tags.map((tag, at) => (at === client ? { ...tag, [op.id]: note.version } : tag))
      return only(`200 ${note.text}`, { ...model, tags })
    }
    case 'change':
    case 'delete': {
      if (!model.notes[op.id]) return only('404', model)
      if (isStale(op.id)) return only('412', model)
      return only('done', write(model, { [op.id]: op.kind === 'change' ? op.text : undefined }, client))
    }
    case 'revert': {
      const note = model.notes[op.id]
      if (!note) return only('404', model)
      if (isStale(op.id)) return only('412', model)
      const next = write(model, { [op.id]: START[op.id as 'a'] }, client)
      // A revert of a record that is as it was may write nothing.
      return answer === 'done' ? (note.text === START[op.id as 'a'] ? [next, model] : [next]) : []
    }
    case 'bulk': {
      const names = Object.keys(op.rows)
      if (names.some(name => !model.notes[name] || isStale(name))) return only('refused', model)
      return only('done', write(model, op.rows, client))
    }
    case 'import': {
      const imported = Object.entries(op.rows).map(([name, text]) => [name, [model.notes[name]?.text, text]] as const)
      const imports = model.imports.map((one, at) => (at === client ? Object.fromEntries(imported) : one))
      return only('done', { ...write(model, op.rows), imports })
    }
    case 'undo': {
      const texts: Record<string, string | undefined> = {}
      for (const [name, [before, text]] of Object.entries(model.imports[client] ?? {})) {
        if (model.notes[name]?.text === text && before !== text) texts[name] = before
      }
      return only('done', write(model, texts))
    }
  }
}

/** Whether some order of all operations explains the answers and the end. */
function isExplained(programs: readonly (readonly Done[])[], end: Readonly<Record<string, string>>): boolean {
  const seen = new Set<string>()
  const search = (model: Model, places: readonly number[]): boolean => {
    const key = JSON.stringify([model, places])
    if (seen.has(key)) return false
    seen.add(key)
    if (places.every((place, client) => place === programs[client]?.length)) {
      const texts = Object.fromEntries(Object.entries(model.notes).map(([name, { text }]) => [name, text]))
      return JSON.stringify(Object.entries(texts).toSorted()) === JSON.stringify(Object.entries(end).toSorted())
    }
    return places.some((place, client) => {
      const next = programs[client]?.[place]
      if (!next) return false
      const moved = places.map((at, other) => (other === client ? at + 1 : at))
      return after(model, client, next).some(found => search(found, moved))
    })
  }
  const notes = Object.fromEntries(Object.entries(START).map(([name, text]) => [name, { text, version: 0 }]))
  const start = { notes, tags: programs.map(() => ({})), imports: programs.map(() => undefined), versions: 0 }
  return search(
    start,
    programs.map(() => 0),
  )
}

/** A database whose statements wait until a test lets them go. */
class GatedDriver extends MortalDriver {
  gate: (() => Promise<unknown>) | undefined

  override async step<T>(act: () => Promise<T>): Promise<T> {
    await this.gate?.()
    return super.step(act)
  }
}

describeDialects('two to four clients of the same records', of => {
  const c = of.kit
  const notes = c.table('notes', {
    id: c.text(5).primaryKey(),
    text: c.text(20).notNull(),
    ...c.VersionMixin(),
  })
  const { notesHistory } = c.HistoryTable(notes)
  const jobTables = c.JobTables()
  const queue = new ManualQueue()
  let driver: GatedDriver | undefined
  const dialect: TestDialect = {
    name: of.name,
    kit: of.kit,
    get server() {
      return of.server
    },
    open(url) {
      driver = new GatedDriver((of.name === 'pg' ? postgres(url) : sqlite(url)).driver)
      return new Database(driver)
    },
  }
  const api = useApi(dialect, {
    tables: { notes, notesHistory, ...jobTables },
    users: { ann: { id: 'ann' } },
    jobs: { tables: jobTables, files: new MemoryJobFiles(), queue },
    resources: {
      notes: BulkImportableViewSet.add(HistoryModelMixin)({
        model: notes,
        serializer: BaseModelSerializer(notes, { fields: ['id', 'text'] }),
        permissionClasses: [AllowAny],
        version: 'version',
        appendEtags: true,
        importFileConfig: {
          fileFormat: 'csv',
          order: ['notes'],
          models: { notes: importModel({ model: notes, fields: ['id', 'text'], uniqueFields: ['id'] }) },
        },
      }),
    },
  })
  const as = 'ann'

  /** One client, with what it knows. */
  class Client {
    readonly #tags = new Map<string, string>()
    #job: string | undefined

    async do(op: Op): Promise<string> {
      switch (op.kind) {
        case 'read': {
          const response = await api.get(`/notes/${op.id}/`, { as })
          if (response.status !== 200) return String(response.status)
          this.#note(op.id, response)
          return `200 ${response.data<{ text: string }>().text}`
        }
        case 'change':
          return this.#answer(op.id, await api.patch(`/notes/${op.id}/`, { text: op.text }, this.#guarded(op.id)))
        case 'delete':
          return this.#answer(op.id, await api.delete(`/notes/${op.id}/`, this.#guarded(op.id)))
        case 'revert': {
          const entry = firstEntries.get(op.id)
          return this.#answer(op.id, await api.post(`/notes/${op.id}/revert/`, { entry }, this.#guarded(op.id)))
        }
        case 'bulk': {
          const items = Object.entries(op.rows).map(([id, text]) => {
            const tag = this.#tags.get(id)
            return { id, text, ...(tag !== undefined && { _etag: tag }) }
          })
          const response = await api.patch('/notes/bulk-update/', items, { as })
          if (response.status !== 200) return 'refused'
          for (const { id, _etag } of response.data<{ id: string; _etag: string }[]>()) this.#tags.set(id, _etag)
          return 'done'
        }
        case 'import': {
          const lines = Object.entries(op.rows).map(cells => cells.join())
          const form = importForm(['id,text', ...lines, ''].join('\n'))
          const response = await api.request('POST', '/notes/import-from-file/', { ...form, as })
          this.#job = response.data<{ job?: string }>().job
          return response.status === 201 ? 'done' : response.text
        }
        case 'undo': {
          if (this.#job === undefined) return 'done'
          const response = await api.post(`/jobs/${this.#job}/undo/`, undefined, { as })
          // An import that changes nothing, and a finished undo, cannot be undone.
          if (response.status === 409) return 'done'
          const { id } = response.data<{ id: string }>()
          await queue.run(id)
          return 'done'
        }
      }
    }

    #guarded(id: string) {
      const tag = this.#tags.get(id)
      return { as, ...(tag !== undefined && { headers: { 'if-match': tag } }) }
    }

    #answer(id: string, response: TestResponse): string {
      if (response.status >= 300) return String(response.status)
      if (response.headers.etag) this.#note(id, response)
      return 'done'
    }

    #note(id: string, { headers }: TestResponse): void {
      this.#tags.set(id, String(headers.etag))
    }
  }

  const firstEntries = new Map<string, number>()

  test('meet what some order of their requests explains', async () => {
    const property = fc.asyncProperty(programs, fc.scheduler(), async (wanted, scheduler) => {
      await api.clear()
      await api.database.use(async () => {
        await insertMany(
          notes,
          Object.entries(START).map(([id, text]) => ({ id, text })),
        )
        for (const { id, record } of await currentDb().select().from(notesHistory)) firstEntries.set(record, id)
      })
      if (driver) driver.gate = () => scheduler.schedule(Promise.resolve())
      const running = Promise.all(
        wanted.map(async program => {
          const client = new Client()
          const done: Done[] = []
          for (const op of program) done.push({ op, answer: await client.do(op) })
          return done
        }),
      )
      const done = await scheduler.waitFor(running)
      if (driver) driver.gate = undefined
      const end = await api.database.use(() => currentDb().select().from(notes))
      const texts = Object.fromEntries(end.map(({ id, text }) => [id, text]))
      expect({ done, end: texts, isExplained: isExplained(done, texts) }).toMatchObject({ isExplained: true })
    })
    await fc.assert(property, { numRuns: cases(200) })
  })
})
