import { PreconditionFailed } from '../../core/errors.ts'
import { message, type Text } from '../../core/messages/message.ts'
import type { ApiRequest } from '../../core/request.ts'
import { shownValue } from '../../core/text.ts'
import { readJsonValue } from '../../serializer/column-schema.ts'
import type { Values } from '../../store/write/write.ts'
import type { ResourceDefinition } from '../resource/resource.ts'
import { isAmong, readTags, tagOf, versionIn, type WantedVersions } from './tags.ts'
import { versionKey } from './version-key.ts'

// Preconditions that the values of a guard cannot express (RFC 9110, 13.1): what a record must not be, and tags of
// records without a version.

interface Precondition {
  readonly isMet: (record: Values) => boolean
  readonly text: Text
}

interface AskedView {
  readonly request: Pick<ApiRequest, 'headers'>
  readonly definition: Pick<ResourceDefinition, 'states' | 'guards'>
}

export function hasPreconditions({ request: { headers } }: Pick<AskedView, 'request'>): boolean {
  return headers['if-match'] !== undefined || headers['if-none-match'] !== undefined
}

/** @throws ValidationError for a header that is no list of tags */
export function preconditionsOf(view: AskedView): readonly Precondition[] {
  const { guards } = view.definition
  const version = versionKey.of(view.definition)
  const { 'if-match': wanted, 'if-none-match': unwanted } = view.request.headers
  const preconditions: Precondition[] = []
  // The guard of a mixin may have read it.
  if (wanted !== undefined && guards.length === 0 && readTags(wanted, 'If-Match') !== 'any') {
    preconditions.push({ isMet: () => false, text: message('precondition_failed.no_version') })
  }
  if (unwanted !== undefined) {
    const tags = readTags(unwanted, 'If-None-Match')
    const isMet = (record: Values) => {
      return tags !== 'any' && !(version && isAmong(tagOf(version.column, record[version.column.key]), tags))
    }
    preconditions.push({ isMet, text: message('precondition_failed.none_match') })
  }
  return preconditions
}

/** The message for tags that are in the form of no version; `undefined` for others, which a record may have had. */
export function unknownTags(definition: AskedView['definition'], wanted: WantedVersions | undefined): Text | undefined {
  const version = versionKey.of(definition)
  if (!version || wanted === undefined || typeof wanted === 'string') return undefined
  const { column } = version
  const isVersion = (tag: string) => 'value' in readJsonValue(column, versionIn(column, tag))
  if (wanted.some(isVersion)) return undefined
  return message('precondition_failed.unknown_tag', { value: wanted.map(shownValue).join(', ') })
}

/** @throws PreconditionFailed with headers, such as the tag of the record */
export function checkPreconditions(
  view: AskedView,
  record: Values,
  headersOf: () => Readonly<Record<string, string>>,
): void {
  const unmet = preconditionsOf(view).find(({ isMet }) => !isMet(record))
  if (unmet) throw new PreconditionFailed(unmet.text, { headers: headersOf() })
}
