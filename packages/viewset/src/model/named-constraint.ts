import type { Text } from '../core/messages/message.ts'

/** A column in a constraint or an index. */
export type ConstraintColumn = { readonly name: string }

/** The answer for a constraint that a migration makes, for the third argument of {@link ColumnKit.table}. */
export interface NamedConstraint {
  readonly type: 'named'
  readonly name: string
  readonly column: ConstraintColumn | undefined
  readonly message: Text
}
