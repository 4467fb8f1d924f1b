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
import type { Unit } from './units.ts'

/** Takes note of why a unit is refused: a field on the wire, or `non_field_errors`. */
type Fail = (unit: Unit, field: string, message: string) => void

/**
 * Asks of units whose records are found what only the resource knows: whether the user may write to the record, and the
 * serializer's rules across fields. Reads the records by one statement, if anybody wants to see them.
 */
export async function checkRecords(
  { serializer, plan }: ModelReader,
  { checkRecord, update }: ImportHooks,
  visible: QuerySet,
  units: readonly Unit[],
  fail: Fail,
): Promise<void> {
  if (!serializer?.hasRules && !checkRecord && !update) return
  const keys = units.flatMap(({ key }) => (key === undefined ? [] : [key]))
  const isDecided = checkRecord !== undefined || update !== undefined
  // What is decided by a record holds until it is written.
  const rows = await visible.withKeys(ownProjection(plan.model), keys, isDecided ? 'update' : undefined)
  const at = plan.model.columns.indexOf(plan.model.primaryKey)
  const stored = new Map(rows.map(row => [String(row[at]), row]))
  const user = currentUser()
  for (const unit of units) {
    unit.row = unit.key === undefined ? undefined : stored.get(String(unit.key))
    const record = unit.row && recordOf<Model>(visible.database, plan.model, unit.row)
    const refusal = record && checkRecord ? await refusalOf(checkRecord, record) : undefined
    if (refusal !== undefined) {
      fail(unit, NON_FIELD_ERRORS, refusal)
      continue
    }
    const answer = await serializer?.validateTogether(unit.values, { record: record ?? null, user })
    for (const [key, messages = []] of Object.entries((answer ?? {}) as Complaints<string>)) {
      const field = key === 'nonFieldErrors' ? NON_FIELD_ERRORS : wireName(key)
      for (const message of [messages].flat()) fail(unit, field, message)
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
