import { isReadable, type SerializerField } from '../../serializer/fields.ts'

export interface Shown {
  readonly fields: readonly SerializerField[]
}

/** The number of parts of a path that a serializer shows: 1 for `author__email` if its authors have no email. */
export function shownParts(serializer: Shown, [name, ...rest]: readonly string[]): number {
  const parts = serializer.fields.filter(isReadable).map(field => {
    // A relation may have another name than its foreign key. Paths use the foreign key's.
    if (field.key !== name && !(field.kind === 'stored' && field.column.key === name)) return 0
    if (field.kind === 'many') {
      if (field.read === 'str') return field.str?.key === rest[0] ? 2 : 1
      return field.read === 'data' && field.serializer ? 1 + shownParts(field.serializer, rest) : 1
    }
    const nested = field.kind === 'stored' ? field.nested : null
    if (nested?.read === 'str') return nested.str?.key === rest[0] ? 2 : 1
    return nested?.read === 'data' && nested.serializer ? 1 + shownParts(nested.serializer, rest) : 1
  })
  return Math.max(0, ...parts)
}
