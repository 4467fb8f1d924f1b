import { checkTogether, type Input, readInput } from './rules.ts'
import { type Expected, invalid, NOT_FOUND, type Outcome, REFERRED_TO, shown, type Thing, type World } from './world.ts'

const LIST_PAGE = 3

export function create(before: World, input: Input): Outcome {
  const world = before.copy()
  const checked = readInput(input, undefined, false)
  checkTogether(world, [checked])
  if (Object.keys(checked.errors).length > 0) return { world: before, expected: invalid(checked.errors) }
  return { world, expected: { status: 201, data: shown(world.add(checked.values)) } }
}

export function update(before: World, id: string, input: Input, partial: boolean): Outcome {
  const world = before.copy()
  const target = world.byId(id)
  if (!target) return { world: before, expected: NOT_FOUND }
  const checked = readInput(input, target, partial)
  checkTogether(world, [checked])
  if (Object.keys(checked.errors).length > 0) return { world: before, expected: invalid(checked.errors) }
  Object.assign(target, checked.values)
  return { world, expected: { status: 200, data: shown(target) } }
}

export function destroy(before: World, id: string): Outcome {
  const world = before.copy()
  if (!world.byId(id)) return { world: before, expected: NOT_FOUND }
  const ids = new Set([id])
  if (world.remove(ids)) return { world, expected: { status: 204 } }
  return { world: before, expected: REFERRED_TO }
}

export function retrieve(world: World, id: string): Outcome {
  const thing = world.byId(id)
  return { world, expected: thing ? { status: 200, data: shown(thing) } : NOT_FOUND }
}

/** Orders that leave nothing to the database's choice: names are unique. */
export const ORDERS: Readonly<Record<string, (a: Thing, b: Thing) => number>> = {
  name: (a, b) => (a.name < b.name ? -1 : 1),
  '-name': (a, b) => (a.name < b.name ? 1 : -1),
  // NULLs come first where it goes down.
  '-rank,name': (a, b) =>
    (b.rank ?? Number.POSITIVE_INFINITY) - (a.rank ?? Number.POSITIVE_INFINITY) || (a.name < b.name ? -1 : 1),
}

export function list(world: World, order: string, page: number): Outcome & { readonly path: string } {
  const things = world.visible.toSorted(ORDERS[order])
  const start = (page - 1) * LIST_PAGE
  const path = `?ordering=${order}&page=${page}&page_size=${LIST_PAGE}`
  if (page > 1 && start >= things.length) {
    const last = Math.max(1, Math.ceil(things.length / LIST_PAGE))
    return { path, world, expected: { status: 404, message: `Invalid page. The last page is ${last}.` } }
  }
  const items = things.slice(start, start + LIST_PAGE)
  const expected: Expected = {
    status: 200,
    count: things.length,
    data: items.map((thing, i) => ({ ...shown(thing), index: start + i + 1 })),
  }
  return { path, world, expected }
}
