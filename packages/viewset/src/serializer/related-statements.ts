import { isReadable, type SerializerField } from './fields.ts'

/** Statements that reading these fields takes beside that for the rows: one for each relation to many, at any depth. */
export function relatedStatements(fields: readonly SerializerField[]): number {
  return fields
    .filter(isReadable)
    .map(statementsOf)
    .reduce((sum, statements) => sum + statements, 0)
}

function statementsOf(field: SerializerField): number {
  if (field.kind === 'many') return 1 + relatedStatements(field.serializer.fields)
  if (field.kind !== 'stored' || field.nested?.read !== 'data') return 0
  return relatedStatements(field.nested.serializer?.fields ?? [])
}
