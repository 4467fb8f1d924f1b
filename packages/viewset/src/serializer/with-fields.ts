import type { SerializerField } from './fields.ts'
import type { ModelSerializer } from './model-serializer.ts'
import { representation } from './output/representation.ts'

/** A serializer that shows other fields. Keep the result: statements are cached by it. */
export function withFields(serializer: ModelSerializer, fields: readonly SerializerField[]): ModelSerializer {
  const { info } = serializer
  return {
    ...serializer,
    fields,
    listed: representation(info, fields, 'needed'),
    recorded: representation(info, fields, 'all'),
  }
}
