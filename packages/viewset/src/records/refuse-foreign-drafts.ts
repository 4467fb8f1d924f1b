import { type FieldErrors, ValidationError } from '../core/errors.ts'
import { modelInfo } from '../model/model-info.ts'
import type { Database } from '../store/connection/database.ts'
import { QuerySet } from '../store/queryset.ts'
import type { NestedDraft } from './drafts.ts'

export interface StoredDraft {
  readonly draft: NestedDraft
  /** Its place in the request, for messages. */
  readonly path: string
  readonly key: unknown
}

const OUTSIDE_OF_FIELD = 'A new record must be among those that this field can refer to.'

/** Runs after the write, since defaults and hooks change the records. */
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
