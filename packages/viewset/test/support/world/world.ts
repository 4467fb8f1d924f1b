import { severalErrors } from '../expect.ts'
/** A thing as it is stored and, but for `active`, shown. */
export interface Thing {
  readonly id: string
  name: string
  rank: number | null
  note: string
  leader: string | null
  active: boolean
}

/** What a client sees of a thing. */
export type Shown = Omit<Thing, 'active'>

/** What the API must answer. A `204` has no envelope. */
export interface Expected {
  readonly status: number
  readonly message?: string
  readonly data?: unknown
  readonly errors?: Readonly<Record<string, readonly string[]>>
  readonly count?: number
}

/** The outcome of a step: the world afterwards, and the answer. */
export interface Outcome {
  readonly world: World
  readonly expected: Expected
}

/**
 * All that is stored, as plain data. Steps change a copy, so that what is refused leaves everything as it was. A new
 * thing has a placeholder for an id until the database has told it.
 */
export class World {
  things: Thing[] = []
  #placeholders = 0

  copy(): World {
    const copy = new World()
    copy.things = this.things.map(thing => ({ ...thing }))
    copy.#placeholders = this.#placeholders
    return copy
  }

  /** What the resource shows: its queryset is of active things. */
  get visible(): Thing[] {
    return this.things.filter(({ active }) => active)
  }

  byId(id: string): Thing | undefined {
    return this.visible.find(thing => thing.id === id)
  }

  add(values: Partial<Thing>): Thing {
    const id = `new ${++this.#placeholders}`
    const thing: Thing = { id, name: '', rank: null, note: 'none', leader: null, active: true, ...values }
    this.things.push(thing)
    return thing
  }

  /** Takes things away; `false`, and nothing is, when others refer to one of them. */
  remove(ids: ReadonlySet<string>): boolean {
    const kept = this.things.filter(({ id }) => !ids.has(id))
    if (kept.some(({ leader }) => leader !== null && ids.has(leader))) return false
    this.things = kept
    return true
  }
}

export function shown({ active, ...thing }: Thing): Shown {
  return thing
}

/** What a deletion answers that others stand in the way of. */
export const REFERRED_TO: Expected = {
  status: 409,
  message: 'Records of "things" refer to this one. Delete them first, or let them refer to another record.',
  errors: {
    non_field_errors: [
      'Records of "things" refer to this one. Delete them first, or let them refer to another record.',
    ],
  },
}

/** The answer to a deletion of several things, if others refer to some of them. */
export function referredTo(ids: readonly string[]): Expected {
  const most = 10
  const more = ids.length > most ? ` and ${ids.length - most} more` : ''
  const records = `${ids.length === 1 ? 'the record' : 'the records'} ${ids.slice(0, most).join(', ')}${more}`
  const message = `Records of "things" refer to ${records}. Delete them first, or let them refer to other records.`
  return { status: 409, message, errors: { non_field_errors: [message] } }
}

export const NOT_FOUND: Expected = { status: 404, message: 'There is no such record, or you may not see it.' }

export function invalid(errors: Readonly<Record<string, readonly string[]>>): Expected {
  const all = Object.values(errors).flat()
  return { status: 400, message: all.length === 1 ? all[0]! : severalErrors(all.length), errors }
}
