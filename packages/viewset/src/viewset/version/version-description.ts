import type { JsonSchema } from '../../kinds/json-schema.ts'
import { TAG_FIELD } from '../../model/version-column.ts'
import { objectSchema, type RouteDescription, TEXT } from '../description/route-description.ts'
import type { DescribedRoute } from '../mixin.ts'
import { isSafe } from '../permissions.ts'
import type { ResourceConfig } from '../resource/resource.ts'

const ETAG: JsonSchema = { ...TEXT, description: 'The version of the record, in quotes.' }
const CACHE: JsonSchema = { ...TEXT, description: 'Whether the answer may be stored.' }
const IF_MATCH: JsonSchema = {
  ...TEXT,
  description: 'The ETag of the record as the client has read it. If the record has changed since, the answer is 412.',
}
const IF_NONE_MATCH: JsonSchema = {
  ...TEXT,
  description: 'The ETag that the client has. If the record has not changed since, the answer may be 304.',
}
const TAG: JsonSchema = { type: ['string', 'null'], description: 'The version that the client has read.' }
const REQUIRED = 'The request must name the version that it changes.'

/** What a version adds to the description of a route. */
export function describeVersion(
  config: Pick<ResourceConfig, 'requireIfMatch'>,
  { action, method, path, isCustom, description }: Omit<DescribedRoute, 'config'>,
): Partial<RouteDescription> {
  const isOfOne = path.includes('/:id/')
  const isChange = isOfOne && !isSafe(method)
  const isOfMany = !isCustom && /^bulk(?!Create$)/.test(action)
  const isRetrieve = action === 'retrieve' && !isCustom
  const takesTag = (isOfOne && (method === 'PUT' || method === 'PATCH')) || isOfMany
  const { body } = description
  return {
    ...((isOfOne || (action === 'create' && !isCustom)) && {
      answerHeaders: { ETag: ETAG, 'Cache-Control': CACHE },
    }),
    ...(isChange && { headers: { 'If-Match': IF_MATCH } }),
    ...(isRetrieve && { headers: { 'If-None-Match': IF_NONE_MATCH }, notModified: true }),
    ...(takesTag && body && { body: isOfMany ? itemsWithTag(body) : mayHaveTag(body) }),
    ...((isChange || isOfMany) && config.requireIfMatch && !isCustom && { errors: { 428: REQUIRED } }),
  }
}

/** Examples have no tag, since it would be that of no record. */
function mayHaveTag(schema: JsonSchema): JsonSchema {
  const { examples } = schema
  return {
    allOf: [schema, objectSchema({ [TAG_FIELD]: TAG }, [TAG_FIELD])],
    ...(examples !== undefined && { examples }),
  }
}

/** A body has one schema, or one for each serializer. An item that is only a key has no place for a tag. */
function itemsWithTag({ items, anyOf, ...body }: JsonSchema): JsonSchema {
  if (Array.isArray(anyOf)) return { ...body, anyOf: anyOf.map(itemsWithTag) }
  const item = items as JsonSchema
  if (!Array.isArray(item.oneOf)) return { ...body, items: mayHaveTag(item) }
  return { ...body, items: { oneOf: item.oneOf.map(one => (one.type === 'object' ? mayHaveTag(one) : one)) } }
}
