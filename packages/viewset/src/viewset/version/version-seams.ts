import { PreconditionRequired, ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { TAG_FIELD } from '../../model/version-column.ts'
import type { Guard, Values } from '../../store/write/write.ts'
import type { ApiResponse } from '../answer/respond.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { isSafe } from '../permissions.ts'
import { expandsRecords, shownSerializer } from '../reading/chosen-fields.ts'
import type { ResourceConfig } from '../resource/resource.ts'
import type { Attached } from '../room.ts'
import type { ResourceVersion, WantedChange } from '../seams.ts'
import { isAmong, readTagField, readTags, tagOf, versionIn, type WantedVersions } from './tags.ts'
import { showsOnlyVersioned } from './version-only.ts'

type VersionSeams = Required<Pick<Attached, 'guard' | 'arounds' | 'headers'>>

export function versionSeams(version: ResourceVersion, config: ResourceConfig): VersionSeams {
  const { column } = version
  const { requireIfMatch = false, cacheControl = 'no-store' } = config
  return {
    guard: (change: WantedChange, view: GenericViewSet) => guardOf(version, requireIfMatch, change, view),
    arounds: [
      { isNeeded: isMisplaced, run: refuseMisplaced },
      { isNeeded: asksIfChanged, run: answerIfChanged },
    ],
    headers: [
      {
        columns: [column],
        isTrusted: true,
        of: (record: Values) => ({
          etag: `"${tagOf(column, record[column.key])}"`,
          'cache-control': cacheControl,
        }),
      },
    ],
  }
}

function guardOf(
  version: ResourceVersion,
  requireIfMatch: boolean,
  { input, index, isStored }: WantedChange,
  view: GenericViewSet,
): readonly Guard[] | undefined {
  const isOfPath = index === undefined
  const wanted = isOfPath ? wantedOfPath(view) : readTagField(input)
  if (wanted === undefined) {
    if (!requireIfMatch || !isStored || view.isCustom) return undefined
    throw new PreconditionRequired(message(isOfPath ? 'precondition_required' : 'precondition_required.item'))
  }
  if (wanted === 'any' && isStored) return undefined
  if (wanted === 'none' && !isStored) return undefined
  // Without an alternative, the guard is not met.
  if (wanted === 'any' || wanted === 'none') return []
  const { column } = version
  return wanted.map(tag => ({ [column.key]: versionIn(column, tag) }))
}

/** `If-Match`, or `_etag` in the body of a change. @throws ValidationError if both are sent and differ */
function wantedOfPath({ request, method }: GenericViewSet): WantedVersions | undefined {
  const header = request.headers['if-match']
  const ofHeader = header === undefined ? undefined : readTags(header, 'If-Match')
  const ofBody = isSafe(method) ? undefined : readTagField(request.body)
  if (ofHeader === undefined || ofBody === undefined) return ofHeader ?? ofBody
  if (String(ofHeader) === String(ofBody)) return ofHeader
  throw new ValidationError({ [TAG_FIELD]: [message('different_etags')] })
}

function isMisplaced({ request, method, config }: GenericViewSet): boolean {
  const namesRecord = config.singleton || request.params.id !== undefined
  return request.headers['if-match'] !== undefined && !namesRecord && !isSafe(method)
}

async function refuseMisplaced(): Promise<never> {
  throw new ValidationError({ 'If-Match': [message('misplaced_if_match')] })
}

function asksIfChanged(view: GenericViewSet): boolean {
  const { request, action, isCustom } = view
  if (request.headers['if-none-match'] === undefined || action !== 'retrieve' || isCustom) return false
  return isSafe(view.method)
}

/** Hooks whose override can show more than the version is about. */
const SHOWING = ['retrieve', 'getObject', 'getSerializer', 'serialize', 'finalize']

/** Whether the answer is the same as long as the version is. */
function showsOnlyItsVersion(view: GenericViewSet): boolean {
  const { serializer, serializers = [] } = view.config
  if (serializers.some(other => other !== serializer) || SHOWING.some(hook => view.overrides(hook))) return false
  return !expandsRecords(view) && showsOnlyVersioned(shownSerializer(view))
}

async function answerIfChanged(view: GenericViewSet, next: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const wanted = readTags(view.request.headers['if-none-match'] ?? '', 'If-None-Match')
  const answer = await next()
  const tag = /^"(.*)"$/.exec(String(answer.headers.etag))?.[1]
  if (answer.status !== 200 || tag === undefined || !isAmong(tag, wanted)) return answer
  if (!showsOnlyItsVersion(view)) return answer
  const { 'content-type': _, ...headers } = answer.headers
  return { status: 304, headers, body: '' }
}
