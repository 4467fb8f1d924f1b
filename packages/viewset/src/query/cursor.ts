import { NotFound } from '../core/errors.ts'
import { seal, unseal } from '../core/seal.ts'
import type { ListPosition } from '../store/keyset.ts'

/** Where a page begins, and in which direction it goes from there. */
export interface Cursor {
  /** `null` for the start of the list or, backward, its end. */
  readonly from: ListPosition | null
  readonly backward: boolean
}

/** Makes and reads the cursors of one list in one order: `purpose` names both. */
export class Cursors {
  readonly #key: string
  readonly #purpose: string

  constructor(key: string, purpose: string) {
    this.#key = key
    this.#purpose = purpose
  }

  write({ from, backward }: Cursor): string {
    return seal(this.#key, this.#purpose, JSON.stringify([backward, from?.map(written) ?? null]))
  }

  /** @throws NotFound for what {@link write} has not made */
  read(cursor: string): Cursor {
    const text = unseal(this.#key, this.#purpose, cursor)
    if (text === undefined) throw new NotFound('Invalid cursor.')
    // Nobody else could have sealed it.
    const [backward, from] = JSON.parse(text) as [boolean, readonly Written[] | null]
    return { backward, from: from?.map(read) ?? null }
  }
}

/** A driver's value as JSON has it: text as it is, anything else as its type and its text. */
type Written = string | null | readonly [type: 'integer' | 'number' | 'bytes', text: string]

function written(value: unknown): Written {
  if (value === null || typeof value === 'string') return value
  if (typeof value === 'bigint') return ['integer', String(value)]
  if (value instanceof Uint8Array) return ['bytes', Buffer.from(value).toString('hex')]
  return ['number', String(value)]
}

function read(value: Written): unknown {
  if (value === null || typeof value === 'string') return value
  const [type, text] = value
  if (type === 'integer') return BigInt(text)
  return type === 'bytes' ? Buffer.from(text, 'hex') : Number(text)
}
