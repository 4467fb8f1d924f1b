import { ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { shownValue } from '../../core/text.ts'
import { kindValue } from '../../model/column-kind.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import { TAG_FIELD } from '../../model/version-column.ts'

/**
 * The versions that a request accepts: some tags, `any` for each stored record, or `none` if the record must be new.
 */
export type WantedVersions = readonly string[] | 'any' | 'none'

/** The tag of a record, without quotes. */
export function tagOf(column: ColumnInfo, version: unknown): string {
  return String(kindValue(column, version))
}

/** The value of a tag in JSON form. A tag that is no version is met by no record. */
export function versionIn({ kind }: ColumnInfo, tag: string): unknown {
  const counted = Number(tag)
  return kind !== 'timestamp' && /^\d+$/.test(tag) && Number.isSafeInteger(counted) ? counted : tag
}

/** RFC 9110, 8.8.3. Clients may leave out the quotes. */
const TAG = /\s*(?:W\/)?(?:"([^"]*)"|([^\s",]+))\s*(?:,|$)/gy

/** Proxies add it to the tag of a compressed answer. */
const CODING = /-(?:gzip|br|zstd|deflate)$/

/**
 * The tags of `If-Match` or `If-None-Match`.
 *
 * @throws ValidationError for text that is no list of tags
 */
export function readTags(header: string | readonly string[], name: string): WantedVersions {
  const text = String(header).trim()
  if (text === '*') return 'any'
  const tags: string[] = []
  let end = 0
  for (const found of text.matchAll(TAG)) {
    tags.push((found[1] ?? found[2] ?? '').replace(CODING, ''))
    end = found.index + found[0].length
  }
  if (tags.length > 0 && end === text.length) return tags
  throw new ValidationError({ [name]: [message('invalid_etag', { value: shownValue(text) })] })
}

/** The version that `_etag` of a body or an item names; `undefined` without one. @throws ValidationError */
export function readTagField(input: unknown): WantedVersions | undefined {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, TAG_FIELD)) return undefined
  const tag: unknown = Reflect.get(input, TAG_FIELD)
  if (tag === null) return 'none'
  if (typeof tag === 'string') return readTags(tag, TAG_FIELD)
  throw new ValidationError({ [TAG_FIELD]: [message('invalid_etag', { value: shownValue(tag) })] })
}

/** Whether a tag that a server sends is among the tags of `If-None-Match` (RFC 9110, 13.1.2). */
export function isAmong(tag: string, wanted: WantedVersions): boolean {
  return wanted === 'any' || (wanted !== 'none' && wanted.includes(tag))
}
