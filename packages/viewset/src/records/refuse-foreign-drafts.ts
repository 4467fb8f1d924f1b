import { type FieldErrors, ValidationError } from '../core/errors.ts'
import { modelInfo } from '../model/model-info.ts'
import type { Database } from '../store/connection/database.ts'
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

const OUTSIDE_OF_FIELD = 'A new record must be among those that this field can refer to.'

/**
 * A related record that the field's own queryset cannot see does not exist (CONTRACT, "Writing"), and so none is made.
 * A new record of the resource's own model must be among those of the resource as well. It is asked once the records are
 * stored, since defaults and hooks have a say in what they are: one statement for each set.
 *
 * @throws ValidationError, which ends the transaction.
 */
export async function refuseForeignDrafts(database: Database, stored: readonly StoredDraft[]): Promise<void> {
  const errors: FieldErrors = {}
  const refuse = async (queryset: QuerySet, group: readonly StoredDraft[]) => {
    const [first] = group
    if (!first || queryset.isUnconditional) return
    const matches = await queryset.matches(
      [first.draft.relation.target],
      group.map(({ key }) => [key]),
    )
    const seen = new Set(matches.map(({ position }) => position))
    group.forEach(({ path }, position) => {
      if (!seen.has(position)) errors[path] = [OUTSIDE_OF_FIELD]
    })
  }
  for (const [scope, group] of Map.groupBy(stored, ({ draft }) => draft.relation.scope)) {
    const model = group[0]?.draft.model
    if (model) await refuse(new QuerySet(database, modelInfo(model)).filter(scope?.()), group)
  }
  for (const [within, group] of Map.groupBy(stored, ({ draft }) => draft.relation.within)) {
    if (within) await refuse(within, group)
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors)
}
