import { currentUser } from '../../core/context.ts'
import { ApiError, NON_FIELD_ERRORS } from '../../core/errors.ts'
import { wireName } from '../../core/wire-names.ts'
import type { Model } from '../../model/kit.ts'
import { type ModelRecord, recordOf } from '../../records/record.ts'
import type { Complaints } from '../../serializer/model-serializer.ts'
import { ownProjection } from '../../store/projection.ts'
import type { QuerySet } from '../../store/queryset.ts'
import type { ImportHooks } from '../import-hooks.ts'
import type { ModelReader } from '../read/model-reader.ts'
import type { ImportRecord } from './import-record.ts'

/** Takes note of why a record is refused: a field on the wire, or `non_field_errors`. */
type Fail = (record: ImportRecord, field: string, message: string) => void

/**
 * Asks what only the resource knows: whether the user may write to a stored record, and the serializer's rules across
 * fields. Reads the stored records by one statement, if anybody wants to see them.
 */
export async function checkRecords(
  { serializer, plan }: ModelReader,
  { checkRecord, update }: ImportHooks,
  visible: QuerySet,
  records: readonly ImportRecord[],
  fail: Fail,
): Promise<void> {
  if (!serializer?.hasRules && !checkRecord && !update) return
  const keys = records.flatMap(({ key }) => (key === undefined ? [] : [key]))
  const isDecided = checkRecord !== undefined || update !== undefined
  // The lock keeps the record as it is until it is written.
  const rows = await visible.withKeys(ownProjection(plan.model), keys, isDecided ? 'update' : undefined)
  const at = plan.model.columns.indexOf(plan.model.primaryKey)
  const stored = new Map(rows.map(row => [String(row[at]), row]))
  const user = currentUser()
  for (const record of records) {
    const row = record.key === undefined ? undefined : stored.get(String(record.key))
    record.stored = row
    const before = row && recordOf<Model>(visible.database, plan.model, row)
    const refusal = before && checkRecord ? await refusalOf(checkRecord, before) : undefined
    if (refusal !== undefined) {
      fail(record, NON_FIELD_ERRORS, refusal)
      continue
    }
    const answer = await serializer?.validateTogether(record.values, { record: before ?? null, user })
    for (const [key, messages = []] of Object.entries((answer ?? {}) as Complaints<string>)) {
      const field = key === 'nonFieldErrors' ? NON_FIELD_ERRORS : wireName(key)
      for (const message of [messages].flat()) fail(record, field, message)
    }
  }
}

async function refusalOf(
  checkRecord: NonNullable<ImportHooks['checkRecord']>,
  record: ModelRecord<Model>,
): Promise<string | undefined> {
  try {
    await checkRecord(record)
    return undefined
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return error.message
    throw error
  }
}
