import type { JsonSchema } from '../../kinds/json-schema.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { RouteDescription } from './route-description.ts'

/** A description whose answers show another record than the serializer's, where there is one. */
export function withRecord(
  description: RouteDescription,
  record: JsonSchema | undefined,
  serializer: Pick<ModelSerializer, 'outputSchema'>,
): RouteDescription {
  if (!record) return description
  const shown = serializer.outputSchema()
  const change = (value: unknown): unknown => {
    if (value === shown) return record
    // What has a name of its own is shown as it is, be there such a record in it.
    if (typeof value !== 'object' || value === null || 'title' in value) return value
    if (Array.isArray(value)) return value.map(change)
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, change(part)]))
  }
  const { data, pages } = description
  return {
    ...description,
    ...(data && { data: change(data) as JsonSchema }),
    ...(pages?.whole && { pages: { ...pages, whole: change(pages.whole) as JsonSchema } }),
  }
}
