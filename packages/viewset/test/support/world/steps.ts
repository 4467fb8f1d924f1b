import fc from 'fast-check'
import type { Method } from '../api.ts'
import { csv } from '../imports.ts'
import { importForm } from '../multipart.ts'
import * as bulk from './bulk-steps.ts'
import { importRows, type Row } from './import-steps.ts'
import * as single from './single-steps.ts'
import type { Outcome, World } from './world.ts'

/** A request, and what must come of it. */
export interface Asked extends Outcome {
  readonly method: Method
  readonly path: string
  readonly body?: unknown
  readonly form?: ReturnType<typeof importForm>
}

/** Makes a request of what there is by now: of ids, only their places are known beforehand. */
export type Step = (world: World, ids: readonly string[]) => Asked

const STRANGER = '00000000-0000-4000-8000-000000009999'

const rare = <T>(common: fc.Arbitrary<T>, odd: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 80, arbitrary: common }, { weight: 1, arbitrary: odd })

/** A thing that is shown, or else one that was, or nobody's id. */
type Place = { readonly shown: number } | { readonly known: number }
const place: fc.Arbitrary<Place> = fc.oneof(
  { weight: 20, arbitrary: fc.record({ shown: fc.nat(19) }) },
  { weight: 1, arbitrary: fc.record({ known: fc.nat(19) }) },
)

function idAt({ visible }: World, ids: readonly string[], at: Place): string {
  if ('known' in at) return ids[at.known] ?? STRANGER
  return visible[at.shown % visible.length]?.id ?? STRANGER
}

const name = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'Ä ö', "'; --")
const ranks = fc.oneof(
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: fc.integer({ min: 1, max: 40 }) },
)
const parts = {
  name: rare<unknown>(name, fc.constantFrom('much too long', null, 7, '')),
  rank: rare<unknown>(ranks, fc.constantFrom('5', 1.5, true)),
  note: rare<unknown>(fc.constantFrom('x', 'y'), fc.constantFrom(null, 5)),
  leader: rare<unknown>(fc.option(place, { nil: null }), fc.constantFrom('nobody')),
}

/** An input before places have become ids. */
type Draft = Readonly<Record<string, unknown>>
const draft = (...required: readonly (keyof typeof parts)[]): fc.Arbitrary<Draft> =>
  fc.record(parts, { requiredKeys: [...required], noNullPrototype: true })
const input = rare(draft('name'), draft('rank'))
const pick = (keys: readonly (keyof typeof parts)[]) => Object.fromEntries(keys.map(key => [key, parts[key]]))
const change = fc.oneof(
  draft('name'),
  fc.subarray(['rank', 'note', 'leader'] as const).chain(keys => fc.record(pick(keys))),
)
const list = <T>(item: fc.Arbitrary<T>, selector?: (item: T) => unknown) => {
  const length = { minLength: 1, maxLength: 5 }
  return selector ? rare(fc.uniqueArray(item, { ...length, selector }), fc.array(item, length)) : fc.array(item, length)
}
const inputs = list(input, ({ name }) => name)
const places = list(place, JSON.stringify)

function withIds(draft: Draft, world: World, ids: readonly string[]): Draft {
  const { leader } = draft
  const isPlace = typeof leader === 'object' && leader !== null
  return { ...draft, ...(isPlace && { leader: idAt(world, ids, leader as Place) }) }
}

const row: fc.Arbitrary<Row> = fc.record({
  name: rare(name, fc.constant('much too long')),
  rank: rare(
    ranks.map(rank => String(rank ?? '')),
    fc.constantFrom('x', '1.5'),
  ),
  note: fc.constantFrom('', 'x', 'y'),
  leader: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 1, arbitrary: name }),
})

const page = fc.integer({ min: 1, max: 3 })
/** Where both do the same in two ways. */
const resource = fc.constantFrom('things', 'saved')

const HEADER = ['name', 'rank', 'note', 'leader'] as const

/** A step that a failure can tell of. */
interface Told {
  readonly step: Step
}

/** Steps of one kind, from what is random about them. */
function kind<D>(label: string, data: fc.Arbitrary<D>, ask: (data: D) => Step): fc.Arbitrary<Told> {
  return data.map(chosen => ({
    step: ask(chosen),
    [fc.toStringMethod]: () => `${label} ${fc.stringify(chosen)}`,
  }))
}

const firstThings = kind('bulk create', fc.uniqueArray(name, { maxLength: 12, minLength: 1 }), names => world => {
  const body = names.map(name => ({ name }))
  return { method: 'POST', path: '/things/bulk-create/', body, ...bulk.bulkCreate(world, body) }
})

const steps = fc.oneof(
  kind('create', input, draft => (world, ids) => {
    const body = withIds(draft, world, ids)
    return { method: 'POST', path: '/things/', body, ...single.create(world, body) }
  }),
  kind('update', fc.tuple(place, change, fc.boolean()), ([at, draft, partial]) => (world, ids) => {
    const [id, body] = [idAt(world, ids, at), withIds(draft, world, ids)]
    const method = partial ? 'PATCH' : 'PUT'
    return { method, path: `/things/${id}/`, body, ...single.update(world, id, body, partial) }
  }),
  kind('destroy', place, at => (world, ids) => {
    const id = idAt(world, ids, at)
    return { method: 'DELETE', path: `/things/${id}/`, ...single.destroy(world, id) }
  }),
  kind('retrieve', place, at => (world, ids) => {
    const id = idAt(world, ids, at)
    return { method: 'GET', path: `/things/${id}/`, ...single.retrieve(world, id) }
  }),
  kind('list', fc.tuple(fc.constantFrom(...Object.keys(single.ORDERS)), page), ([order, page]) => world => {
    const { path, ...outcome } = single.list(world, order, page)
    return { method: 'GET', path: `/things/${path}`, ...outcome }
  }),
  kind('bulk create', inputs, drafts => (world, ids) => {
    const body = drafts.map(draft => withIds(draft, world, ids))
    return { method: 'POST', path: '/things/bulk-create/', body, ...bulk.bulkCreate(world, body) }
  }),
  kind(
    'bulk update',
    fc.tuple(
      list(fc.tuple(place, change), ([at]) => JSON.stringify(at)),
      fc.boolean(),
      resource,
    ),
    ([drafts, partial, resource]) =>
      (world, ids) => {
        const items = drafts.map(([at, draft]) => ({ id: idAt(world, ids, at), input: withIds(draft, world, ids) }))
        const body = items.map(({ id, input }) => ({ ...input, id }))
        const method = partial ? 'PATCH' : 'PUT'
        return { method, path: `/${resource}/bulk-update/`, body, ...bulk.bulkUpdate(world, items, partial) }
      },
  ),
  kind('bulk upsert', inputs, drafts => (world, ids) => {
    const body = drafts.map(draft => withIds(draft, world, ids))
    return { method: 'POST', path: '/things/bulk-upsert/', body, ...bulk.bulkUpsert(world, body) }
  }),
  byIds('DELETE', 'bulk-delete', bulk.bulkDelete),
  byIds('DELETE', 'bulk-soft-delete', bulk.bulkSoftDelete),
  byIds('POST', 'bulk-restore', bulk.bulkRestore),
  kind(
    'import',
    fc.record({ rows: list(row), append: fc.boolean(), dryRun: fc.boolean(), resource }),
    ({ rows, resource, ...options }) =>
      world => ({
        method: 'POST',
        path: `/${resource}/import-from-file/`,
        form: importForm(csv(HEADER, ...rows.map(row => HEADER.map(column => row[column]))), options),
        ...importRows(world, rows, options),
      }),
  ),
)

/** Steps that name things, some of them twice, and strangers. */
function byIds(method: Method, action: string, outcome: (world: World, ids: readonly string[]) => Outcome) {
  return kind(action, places, chosen => (world, ids) => {
    const body = chosen.map(at => idAt(world, ids, at))
    return { method, path: `/things/${action}/`, body, ...outcome(world, body) }
  })
}

/** Sequences of up to 20 steps of any kind, behind one that makes something for them to work on. */
export const sequences: fc.Arbitrary<readonly Told[]> = fc.noBias(
  fc.tuple(firstThings, fc.array(steps, { maxLength: 19, size: 'max' })).map(([first, others]) => [first, ...others]),
)
