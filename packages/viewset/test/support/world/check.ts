import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { AllowAny, allRecords, BaseModelSerializer, type ColumnKit, importForeignKey, importModel } from 'viewset'
import { expect } from 'vitest'
import type { TestApi, TestResponse } from '../api.ts'
import { FullViewSet } from '../full-viewset.ts'
import { type Asked, type Step, sequences } from './steps.ts'
import { type Expected, type Thing, World } from './world.ts'

/** What the world is made of: two unique columns, a default, a reference to itself, soft delete. */
export function worldModels(c: ColumnKit) {
  const things = c.table('things', {
    ...c.BaseModelMixin(),
    name: c.text(8).notNull().unique(),
    rank: c.integer().unique(),
    note: c.text().notNull().default('none'),
    leader: c.foreignKey('self'),
  })
  return { things }
}

/** Two resources of the same things, each with settings of its own. */
export function worldResources({ things }: ReturnType<typeof worldModels>) {
  const model = importModel({
    model: things,
    fields: ['name', 'rank', 'note'],
    uniqueFields: ['name'],
    foreignKeys: { leader: importForeignKey({ model: things, lookupField: 'name', sourceField: 'leader' }) },
  })
  const settings = {
    model: things,
    serializer: BaseModelSerializer(things, { fields: ['id', 'name', 'rank', 'note', 'leader'] }),
    permissionClasses: [AllowAny],
    queryset: () => eq(things.isActive, true),
    upsertFields: ['name'],
    restoreQueryset: () => allRecords,
    importFileConfig: { fileFormat: 'csv', order: ['things'], models: { things: model } },
  } as const
  return {
    things: FullViewSet(settings),
    saved: FullViewSet({
      ...settings,
      useSaveOnBulkUpdate: true,
      importFileConfig: { ...settings.importFileConfig, chunkSize: 2 },
    }),
  }
}

interface Stored extends Thing {
  readonly createdAt: string
  readonly updatedAt: string
}

/** A client, and the world as it should be. */
class Visitor {
  readonly #api: TestApi
  #world = new World()
  /** All ids that there ever were, in the order of their coming. */
  readonly #ids: string[] = []
  #stored = new Map<string, Stored>()

  constructor(api: TestApi) {
    this.#api = api
  }

  async take(step: Step): Promise<void> {
    const asked = step(this.#world, this.#ids)
    const response = await this.#api.request(asked.method, asked.path, asked.form ?? { body: asked.body })
    const before = this.#stored
    const stored = await this.#read()
    const known = named(asked, stored)
    expectAnswer(response, known.expected)
    expect(stored.map(plain)).toEqual(known.things.toSorted(byName))
    this.#world = asked.world.copy()
    this.#world.things = known.things.map(thing => ({ ...thing }))
    this.#ids.push(...known.things.map(({ id }) => id).filter(id => !this.#ids.includes(id)))
    this.#stored = new Map(stored.map(thing => [thing.id, thing]))
    const isOneWrite = asked.form === undefined
    for (const thing of stored) expectTimes(before.get(thing.id), thing, isOneWrite)
  }

  async #read(): Promise<Stored[]> {
    const text = 'select id, name, rank, note, leader_id, is_active, created_at, updated_at from things'
    const { rows } = await this.#api.database.driver.run({ text }, [])
    const things = rows.map(([id, name, rank, note, leader, active, createdAt, updatedAt]) => ({
      id: String(id),
      name: String(name),
      rank: rank === null ? null : Number(rank),
      note: String(note),
      leader: leader === null ? null : String(leader),
      active: ['t', '1'].includes(String(active)),
      createdAt: String(createdAt),
      updatedAt: String(updatedAt),
    }))
    return things.sort(byName)
  }
}

const byName = (a: Thing, b: Thing) => (a.name < b.name ? -1 : 1)

function plain({ createdAt, updatedAt, ...thing }: Stored): Thing {
  return thing
}

/** The expected things and answer with the ids that new things got; they are known by their names. */
function named({ world, expected }: Asked, stored: readonly Thing[]): { things: Thing[]; expected: Expected } {
  const ids = new Map(world.things.map(({ id, name }) => [id, stored.find(thing => thing.name === name)?.id]))
  const replace = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value), (_, text) => (String(text).startsWith('new ') ? (ids.get(text) ?? text) : text))
  return { things: replace(world.things), expected: replace(expected) }
}

/** `unmatched.test.ts` has the rules of suggestions. */
function withoutSuggestions<T>(answer: T): T {
  return JSON.parse(JSON.stringify(answer), (key, value) => (key === 'suggestions' ? undefined : value))
}

function expectAnswer(response: TestResponse, { status, message = '', data = null, errors, count }: Expected): void {
  if (status === 204) {
    expect([response.status, response.text]).toEqual([204, ''])
    return
  }
  const { timestamp, next, previous, message: text, ...envelope } = withoutSuggestions(response.envelope())
  const isImport = typeof data === 'object' && data !== null && 'processed' in data
  expect({ status: response.status, ...envelope, ...(!isImport && { message: text }) }).toEqual({
    status,
    success: status < 300 && status !== 207,
    data,
    ...(!isImport && { message }),
    ...(count !== undefined && { count }),
    ...(errors && { errors }),
  })
}

/** A record is as old as it was, and its last change is not older. A file can change what one of its rows has made. */
function expectTimes(before: Stored | undefined, now: Stored, isOneWrite: boolean): void {
  expect(now.updatedAt >= now.createdAt, `${now.updatedAt} >= ${now.createdAt}`).toBe(true)
  if (!before) {
    if (isOneWrite) expect(now.updatedAt).toBe(now.createdAt)
    return
  }
  expect(now.createdAt).toBe(before.createdAt)
  expect(now.updatedAt >= before.updatedAt).toBe(true)
  if (JSON.stringify(plain(now)) !== JSON.stringify(plain(before))) {
    expect(now.updatedAt > before.updatedAt, `${now.updatedAt} > ${before.updatedAt}`).toBe(true)
  }
}

/** Sequences of up to 20 steps, each answered and stored as the world says. A failure prints its steps and its seed. */
export async function checkSequences(api: TestApi, numRuns: number): Promise<void> {
  const property = fc.asyncProperty(sequences, async steps => {
    await api.clear()
    const visitor = new Visitor(api)
    for (const { step } of steps) await visitor.take(step)
  })
  await fc.assert(property, { numRuns })
}
