import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import { NotFound } from '../core/errors.ts'
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

/** Bytes of the signature, which is also what the text is encrypted with. */
const SIGNATURE = 16

/**
 * Seals a text: nobody without the key can read it, nor make one that {@link unseal} takes. It opens only for the same
 * `purpose`. The same text always gives the same seal.
 *
 * Signed first and encrypted by the signature (the construction of RFC 5297, with HMAC-SHA-256 and AES-256-CTR), since
 * what stands in it may be of no business to whoever holds it.
 */
function seal(key: string, purpose: string, text: string): string {
  const signature = sign(key, purpose, text)
  const cipher = createCipheriv('aes-256-ctr', cipherKey(key), signature)
  return Buffer.concat([signature, cipher.update(text, 'utf8'), cipher.final()]).toString('base64url')
}

/** What was sealed for this purpose; `undefined` for anything else. */
function unseal(key: string, purpose: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  // Node passes over what is no base64url; one text has one seal.
  if (bytes.length <= SIGNATURE || bytes.toString('base64url') !== sealed) return undefined
  const signature = bytes.subarray(0, SIGNATURE)
  const cipher = createDecipheriv('aes-256-ctr', cipherKey(key), signature)
  const text = Buffer.concat([cipher.update(bytes.subarray(SIGNATURE)), cipher.final()]).toString('utf8')
  return timingSafeEqual(signature, sign(key, purpose, text)) ? text : undefined
}

function sign(key: string, purpose: string, text: string): Buffer {
  const signature = createHmac('sha256', `viewset signature ${key}`)
    .update(JSON.stringify([purpose, text]))
    .digest()
  return signature.subarray(0, SIGNATURE)
}

/** Not the key that signs: each is used for one thing. */
function cipherKey(key: string): Buffer {
  return createHmac('sha256', `viewset cipher ${key}`).digest()
}
