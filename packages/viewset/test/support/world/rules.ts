import { noRecord, notAKey, notAText, notAWholeNumber } from '../texts.ts'
import type { Thing, World } from './world.ts'

/** What a client sends for a thing, right or wrong. */
export type Input = Readonly<Record<string, unknown>>

/** An input, what it is about (nothing when it is new), and what the rules make of it. */
export interface Checked {
  readonly target: Thing | undefined
  readonly values: Partial<Thing>
  readonly errors: Record<string, string[]>
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TAKEN = ['Another record already has this value.']
const TWICE = ['Another item of this request has the same value.']

/** The values of one input, as its own words have them; what others say of them is for {@link checkTogether}. */
export function readInput(input: Input, target: Thing | undefined, partial: boolean): Checked {
  const errors: Record<string, string[]> = {}
  const values: Partial<Thing> = {}
  const problem = (field: keyof Thing) => FIELDS[field as keyof typeof FIELDS](input[field])
  for (const field of ['name', 'rank', 'note', 'leader'] as const) {
    if (!(field in input)) {
      if (field === 'name' && !partial) errors.name = ['This field is required.']
      continue
    }
    const message = problem(field)
    if (message === undefined) Object.assign(values, { [field]: input[field] })
    else errors[field] = [message]
  }
  return { target, values, errors }
}

const FIELDS = {
  name: (value: unknown) => {
    if (value === null) return 'This field needs a value: null is not allowed.'
    if (typeof value !== 'string') return notAText(value)
    if (value.trim() === '') return 'This field needs a text that is not empty.'
    return value.length > 8 ? 'Ensure this field has no more than 8 characters.' : undefined
  },
  rank: (value: unknown) => (value === null || Number.isInteger(value) ? undefined : notAWholeNumber(value)),
  note: (value: unknown) => {
    if (value === null) return 'This field needs a value: null is not allowed.'
    return typeof value === 'string' ? undefined : notAText(value)
  },
  leader: (value: unknown) => (value === null || UUID.test(String(value)) ? undefined : notAKey(value)),
}

/** What inputs that are written together say of other things: leaders must exist, and unique values be free. */
export function checkTogether(world: World, inputs: readonly Checked[]): void {
  for (const { values, errors } of inputs) {
    const { leader } = values
    if (!leader || world.things.some(({ id }) => id === leader)) continue
    errors.leader = [noRecord('thing', leader)]
    delete values.leader
  }
  for (const field of ['name', 'rank'] as const) {
    const claimed = new Set<unknown>()
    const changing = new Set(inputs.filter(({ values }) => field in values).map(({ target }) => target))
    for (const { values, errors } of inputs) {
      const value = values[field]
      if (value === undefined || value === null) continue
      const holder = world.things.find(thing => thing[field] === value)
      // What a thing of the same request gives up is free.
      const isTaken = holder !== undefined && !changing.has(holder)
      if (isTaken) errors[field] = TAKEN
      else if (claimed.has(value)) errors[field] = TWICE
      claimed.add(value)
    }
  }
}
