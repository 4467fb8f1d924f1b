import { type FieldErrors, ValidationError } from '../core/errors.ts'
import { modelInfo } from '../model/model-info.ts'
import type { Database } from '../store/database.ts'
import { QuerySet } from '../store/queryset.ts'
import type { NestedDraft } from './drafts.ts'

/** A draft that has become a record. */
export interface StoredDraft {
  readonly draft: NestedDraft
  /** Where it stands in the request, for messages. */
  readonly path: string
  /** What the foreign key to it holds. */
  readonly key: unknown
}

const OUTSIDE = 'A new record must be among those that this field can refer to.'

/**
 * A related record that the field's own queryset cannot see does not exist (CONTRACT, "Writing"), and so none is made.
 * It is asked once the records are stored, since defaults and hooks have a say in what they are: one statement for each
 * scoped relation.
 *
 * @throws ValidationError, which ends the transaction.
 */
export async function refuseOutside(database: Database, stored: readonly StoredDraft[]): Promise<void> {
  const errors: FieldErrors = {}
  for (const [scope, group] of Map.groupBy(stored, ({ draft }) => draft.relation.scope)) {
    const condition = scope?.()
    const draft = group[0]?.draft
    if (!condition || !draft) continue
    const matches = await new QuerySet(database, modelInfo(draft.model)).filter(condition).matches(
      [draft.relation.target],
      group.map(({ key }) => [key]),
    )
    const seen = new Set(matches.map(({ position }) => position))
    group.forEach(({ path }, position) => {
      if (!seen.has(position)) errors[path] = [OUTSIDE]
    })
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors)
}
