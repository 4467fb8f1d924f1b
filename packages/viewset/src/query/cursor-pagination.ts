import { createCipheriv, createDecipheriv, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { NotFound } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import { type ApiRequest, linkTo, queryValue } from '../core/request.ts'
import type { ApiSettings } from '../core/settings.ts'
import type { ListPosition } from '../store/keyset.ts'
import type { PageList } from './page-list.ts'
import { badParameters, type PageParts, type PageShape, Pagination, readSize, SIZE, sizeSchema } from './pagination.ts'
import type { QueryParameters } from './query-parameters.ts'

/**
 * Pages by cursor: `next` continues after the last row, and `previous` before the first one, even if these rows have
 * moved. If rows are added or removed meanwhile, no other row is skipped or shown twice. The last page costs no more
 * than the first. There is no count: lists have no `count` and items no `index`.
 *
 * Cursors are signed with the setting `SECRET_KEY` and valid for one list in one order.
 *
 * @example
 * const EventViewSet = ReadOnlyViewSet({ ...config, ordering: '-happenedAt', paginationClass: CursorPagination })
 */
export class CursorPagination extends Pagination {
  readonly pageSize: number = 20
  readonly maxPageSize: number = 100
  readonly pageSizeQueryParam: string = 'page_size'
  readonly cursorQueryParam: string = 'cursor'

  get queryParameters(): QueryParameters {
    return {
      [this.cursorQueryParam]: { type: 'string', description: 'Where the page begins: `next` and `previous` have it.' },
      [this.pageSizeQueryParam]: sizeSchema(this.pageSize, this.maxPageSize),
    }
  }

  override pageShape(): PageShape {
    return { count: 'none', hasIndex: false }
  }

  override check(request: ApiRequest): void {
    this.#sizeIn(request)
    queryValue(request, this.cursorQueryParam)
  }

  async paginate(list: PageList, request: ApiRequest): Promise<PageParts> {
    const size = this.#sizeIn(request)
    const cursors = new Cursors(secretKey(list.settings), purposeOf(list, request))
    const given = queryValue(request, this.cursorQueryParam)
    const { from, backward } = given ? cursors.read(given) : START
    const { rows, hasMore, first, last } = await (backward ? list.before(from, size) : list.after(from, size))
    const link = (to: Cursor) => {
      const isStart = to.from === null && !to.backward
      return linkTo(request, { [this.cursorQueryParam]: isStart ? undefined : cursors.write(to) })
    }
    // A cursor was made at a row, so rows exist on its other side, unless they were deleted.
    const hasNext = backward ? from !== null : hasMore
    const hasPrevious = backward ? hasMore : from !== null
    return {
      rows,
      next: hasNext ? link({ from: last, backward: false }) : null,
      previous: hasPrevious ? link({ from: first, backward: true }) : null,
    }
  }

  #sizeIn(request: ApiRequest): number {
    const size = readSize(request, this.pageSizeQueryParam, this.pageSize, this.maxPageSize)
    if (size === undefined) throw badParameters({ [this.pageSizeQueryParam]: [SIZE] })
    return size
  }
}

const START: Cursor = { from: null, backward: false }

/** A cursor is valid for this list in this order only. */
function purposeOf({ queryset }: PageList, { path }: ApiRequest): string {
  return JSON.stringify(['cursor', path.replace(/\/$/, ''), queryset.orderKey])
}

let ownKey: string | undefined

/** The setting `SECRET_KEY` or, with a warning, a key that lasts as long as the process. */
function secretKey({ COMMON: { SECRET_KEY } }: ApiSettings): string {
  if (SECRET_KEY !== null) return SECRET_KEY
  if (ownKey === undefined) {
    ownKey = randomBytes(32).toString('hex')
    process.emitWarning(
      'Cursors are signed with a key that this process has made up, so no other process takes them, nor this one after ' +
        'a restart. Set COMMON.SECRET_KEY (or COMMON_SECRET_KEY in the environment) to the same secret text of at ' +
        'least 32 characters in all processes.',
      { type: 'viewset', code: 'VIEWSET_SECRET_KEY' },
    )
  }
  return ownKey
}

interface Cursor {
  /** `null` for the start of the list or, if backward, its end. */
  readonly from: ListPosition | null
  readonly backward: boolean
}

class Cursors {
  readonly #key: string
  readonly #purpose: string

  constructor(key: string, purpose: string) {
    this.#key = key
    this.#purpose = purpose
  }

  write({ from, backward }: Cursor): string {
    return seal(this.#key, this.#purpose, JSON.stringify([backward, from?.map(written) ?? null]))
  }

  /** @throws NotFound for a text that {@link write} has not made. */
  read(cursor: string): Cursor {
    const text = unseal(this.#key, this.#purpose, cursor)
    if (text === undefined) throw new NotFound(message('not_found.cursor'))
    // The signature is valid, so this process or another with the same key wrote it.
    const [backward, from] = JSON.parse(text) as [boolean, readonly Written[] | null]
    return { backward, from: from?.map(read) ?? null }
  }
}

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

/** Bytes of the signature, which is also the initialization vector. */
const SIGNATURE = 16

/**
 * Encrypts and signs a text for one `purpose`. The result depends on the text only.
 *
 * The signature is the initialization vector (as in RFC 5297, with HMAC-SHA-256 and AES-256-CTR). Encryption hides the
 * rows' values in the cursor.
 */
function seal(key: string, purpose: string, text: string): string {
  const signature = sign(key, purpose, text)
  const cipher = createCipheriv('aes-256-ctr', cipherKey(key), signature)
  return Buffer.concat([signature, cipher.update(text, 'utf8'), cipher.final()]).toString('base64url')
}

function unseal(key: string, purpose: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  // Node ignores characters outside of base64url; reject other spellings.
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

/** A separate key for each algorithm. */
function cipherKey(key: string): Buffer {
  return createHmac('sha256', `viewset cipher ${key}`).digest()
}
