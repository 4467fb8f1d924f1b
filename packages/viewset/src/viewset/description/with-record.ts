import type { JsonSchema } from '../../kinds/json-schema.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { RouteDescription } from './route-description.ts'

export function withRecord(
  description: RouteDescription,
  record: JsonSchema | undefined,
  serializer: Pick<ModelSerializer, 'outputSchema'>,
): RouteDescription {
  if (!record) return description
  const shown = serializer.outputSchema()
  const change = (value: unknown): unknown => {
    if (value === shown) return record
    // A schema with a title stays as it is, even if it contains a record.
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
