import { Conflict, NON_FIELD_ERRORS } from '../../core/errors.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { referrersOf } from '../../store/referrers.ts'
import type { ImportHooks } from '../import-hooks.ts'
import { deleteRecords } from './delete-records.ts'

/** Deletes the records that a replace replaces. @throws Conflict naming the models whose records need them. */
export async function deleteReplaced(queryset: QuerySet, hooks: ImportHooks): Promise<number> {
  try {
    // In a savepoint, behind which the database can still be asked who refers to the records.
    return await queryset.database.transaction(() => deleteRecords(queryset, hooks))
  } catch (error) {
    if (!(error instanceof Conflict)) throw error
    const names = (await referrersOf(queryset)).map(name => `"${name}"`)
    if (names.length === 0) throw error
    const message = `Records of ${names.join(', ')} refer to records that would be deleted, so nothing was replaced.`
    throw new Conflict({ [NON_FIELD_ERRORS]: [message] }, message, error)
  }
}
