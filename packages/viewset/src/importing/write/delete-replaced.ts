import { Conflict, NON_FIELD_ERRORS } from '../../core/errors.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { referrersOf } from '../../store/referrers.ts'
import type { ImportHooks } from '../import-hooks.ts'
import { deleteRecords } from './delete-records.ts'

export async function deleteReplaced(queryset: QuerySet, hooks: ImportHooks): Promise<number> {
  try {
    // After a failed savepoint the database can still report which records refer to these.
    return await queryset.database.transaction(() => deleteRecords(queryset, hooks))
  } catch (error) {
    if (!(error instanceof Conflict)) throw error
    const names = (await referrersOf(queryset)).map(name => `"${name}"`)
    if (names.length === 0) throw error
    const message = `Records of ${names.join(', ')} refer to records that would be deleted, so nothing was replaced.`
    throw new Conflict({ [NON_FIELD_ERRORS]: [message] }, message, error)
  }
}
