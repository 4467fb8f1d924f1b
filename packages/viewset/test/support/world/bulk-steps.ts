import { noRecord } from '../texts.ts'
import { type Checked, checkTogether, type Input, readInput } from './rules.ts'
import { invalid, type Outcome, REFERRED_TO, referredTo, shown, type Thing, type World } from './world.ts'

export function bulkCreate(before: World, inputs: readonly Input[]): Outcome {
  const world = before.copy()
  const checked = inputs.map(input => readInput(input, undefined, false))
  checkTogether(world, checked)
  const errors = byIndex(checked)
  if (errors) return { world: before, expected: invalid(errors) }
  const created = checked.map(({ values }) => world.add(values))
  return { world, expected: { status: 201, data: created.map(shown) } }
}

export function bulkUpdate(
  before: World,
  items: readonly { readonly id: string; readonly input: Input }[],
  partial: boolean,
): Outcome {
  const world = before.copy()
  const seen = new Set<string>()
  const named = items.map(({ id, input }): Checked => {
    const target = world.byId(id)
    const isRepeated = seen.has(id)
    seen.add(id)
    if (target && !isRepeated) return readInput(input, target, partial)
    const message = isRepeated ? 'Another item is about the same record. Send one item for each record.' : unknownPk(id)
    const refused = readInput(input, undefined, partial)
    return { target: undefined, values: {}, errors: { id: [message], ...refused.errors } }
  })
  checkTogether(world, named)
  const errors = byIndex(named)
  if (errors) return { world: before, expected: invalid(errors) }
  for (const { target, values } of named) Object.assign(target as Thing, values)
  return { world, expected: { status: 200, data: named.map(({ target }) => shown(target as Thing)) } }
}

export function bulkUpsert(before: World, inputs: readonly Input[]): Outcome {
  const world = before.copy()
  const seen = new Set<Thing>()
  const matched = inputs.map((input): Checked => {
    const target = world.visible.find(({ name }) => name === input.name)
    const isRepeated = target !== undefined && seen.has(target)
    if (target) seen.add(target)
    const checked = readInput(input, target, false)
    if (!isRepeated) return checked
    return {
      target: undefined,
      values: {},
      errors: { id: ['Another item is about the same record. Send one item for each record.'], ...checked.errors },
    }
  })
  checkTogether(world, matched)
  const errors = byIndex(matched)
  if (errors) return { world: before, expected: invalid(errors) }
  for (const { target, values } of matched) target ? Object.assign(target, values) : world.add(values)
  const updated = matched.filter(({ target }) => target).length
  return { world, expected: { status: 200, data: { created: matched.length - updated, updated } } }
}

export function bulkDelete(before: World, ids: readonly string[]): Outcome {
  const world = before.copy()
  const found = new Set(ids.filter(id => world.byId(id)))
  if (!world.remove(found)) {
    const others = world.things.filter(thing => !found.has(thing.id))
    const ids = [...found].filter(id => others.some(({ leader }) => leader === id)).toSorted()
    return { world: before, expected: found.size === 1 ? REFERRED_TO : referredTo(ids) }
  }
  return { world, expected: report(ids, id => found.has(id), found.size) }
}

export function bulkSoftDelete(before: World, ids: readonly string[]): Outcome {
  const world = before.copy()
  const found = world.visible.filter(({ id }) => ids.includes(id))
  for (const thing of found) thing.active = false
  return { world, expected: report(ids, id => found.some(thing => thing.id === id), found.length) }
}

/** Restoring sees all things. */
export function bulkRestore(before: World, ids: readonly string[]): Outcome {
  const world = before.copy()
  const found = world.things.filter(({ id }) => ids.includes(id))
  const deleted = found.filter(({ active }) => !active)
  for (const thing of deleted) thing.active = true
  return { world, expected: report(ids, id => found.some(thing => thing.id === id), deleted.length) }
}

function report(ids: readonly string[], isFound: (id: string) => boolean, count: number) {
  const missing_ids = ids.filter(id => !isFound(id))
  return { status: 200, data: { requested_count: ids.length, count, missing_ids } }
}

function byIndex(inputs: readonly Checked[]): Record<string, string[]> | undefined {
  const errors = inputs.flatMap(({ errors }, i) =>
    Object.entries(errors).map(([field, messages]) => [`${i}.${field}`, messages] as const),
  )
  return errors.length > 0 ? Object.fromEntries(errors) : undefined
}

function unknownPk(id: string): string {
  return noRecord('thing', id)
}
