import { defineMixin, type FieldName, type Model, type ModelSerializer, PreconditionRequired, setting } from 'viewset'

declare module 'viewset' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    EtagMixin: { config: { readonly versionField: FieldName<M>; readonly requireIfMatch?: boolean }; methods: object }
  }
}

const TAG = { type: 'string', description: 'The version of the record, in quotes.' }
const STALE = { 412: 'Someone else has changed the record.', 428: 'Send If-Match.' }

/** Optimistic concurrency by `ETag` and `If-Match` (RFC 9110); in bulk, by `_etag` of an item. */
export const EtagMixin = defineMixin('EtagMixin', {
  settings: { versionField: setting.text, requireIfMatch: setting.boolean },
  headers: {
    reads: ({ versionField }) => [versionField],
    of: (record, { config }) => ({ etag: `"${record[config.versionField]}"` }),
  },
  guard: ({ input, index }, { config, request, isCustom }) => {
    const sent = index === undefined ? request.headers['if-match'] : Object(input)._etag
    if (sent === undefined && config.requireIfMatch && !isCustom) throw new PreconditionRequired('Send If-Match.')
    if (sent === undefined || sent === '*') return undefined
    return (String(sent).match(/\d+/g) ?? []).map(version => ({ [config.versionField]: Number(version) }))
  },
  describes: ({ action, method, path }) => {
    const isOfOne = path.includes('/:id/')
    const isGuarded = /^bulk(?!Create)/.test(action) || (isOfOne && method !== 'GET')
    return {
      ...((isOfOne || action === 'create') && { answerHeaders: { ETag: TAG } }),
      ...(isGuarded && { errors: STALE, ...(isOfOne && { headers: { 'If-Match': TAG } }) }),
    }
  },
})
