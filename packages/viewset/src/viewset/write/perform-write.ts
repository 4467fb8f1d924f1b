import type { Model } from '../../model/kit.ts'
import type { ModelRecord } from '../../records/record.ts'
import { RecordList } from '../../records/record-list.ts'
import { withoutFixed } from '../../serializer/fixed-values.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import type { WritePlan } from '../view.ts'
import { fixedValuesOf } from './fixed-values.ts'

type Plan<K extends WritePlan['kind']> = Extract<WritePlan, { kind: K }>
/** The writes of stored records that need no values. */
type OnRecords = 'delete' | 'softDelete' | 'restore'

/** Performs a write of many records inside the hook `write`, if it is overridden. */
export async function performWrite<K extends WritePlan['kind']>(
  view: GenericViewSet,
  plan: Plan<K>,
  perform: (plan: Plan<K>) => Promise<RecordList>,
): Promise<RecordList> {
  const size = sizeOf(plan)
  if (size === 0 || !view.overrides('write')) return perform(plan)
  let performed: RecordList | undefined
  const written = await view.write(forHook(plan), async given => {
    if (given.kind !== plan.kind || sizeOf(given) !== size) {
      throw new TypeError(
        `write must call next with a plan of the same ${size} records; throw an ApiError to refuse it.`,
      )
    }
    if (performed) throw new TypeError('write must call next once.')
    performed = await perform(withFixed(view, given) as Plan<K>)
    return performed
  })
  if (performed && written === performed) return performed
  throw new TypeError(NOT_PERFORMED)
}

const NOT_PERFORMED = 'write must call next and return what it has returned; throw an ApiError to refuse the write.'

export async function performWriteOfOne<K extends WritePlan['kind']>(
  view: GenericViewSet,
  plan: Plan<K>,
  perform: (plan: Plan<K>) => Promise<ModelRecord<Model>>,
): Promise<ModelRecord<Model>> {
  if (!view.overrides('write')) return perform(plan)
  const written: ModelRecord<Model>[] = []
  await performWrite(view, plan, async given => {
    written.push(await perform(given))
    return RecordList.of(view.database, view.definition.model, written)
  })
  const [record] = written
  if (record) return record
  throw new TypeError(NOT_PERFORMED)
}

/** The kind of a deletion in the hook `write`. */
export function deletionKind({ config }: GenericViewSet): 'delete' | 'softDelete' {
  return config.softDelete ? 'softDelete' : 'delete'
}

export async function performOnRecords<K extends OnRecords>(
  view: GenericViewSet,
  kind: K,
  records: RecordList,
  perform: (records: RecordList) => Promise<number>,
): Promise<number> {
  if (!view.overrides('write')) return perform(records)
  let count = 0
  // Reads the records now: after a deletion the hook could not read them.
  if (kind === 'delete') await records.rows()
  await performWrite(view, { kind, records } as Plan<K>, async given => {
    const written = (given as Plan<OnRecords>).records
    count = await perform(written)
    return kind === 'delete' ? written : new RecordList(view.database, view.definition.model, written.keys)
  })
  return count
}

function sizeOf(plan: WritePlan): number {
  if (plan.kind === 'create') return plan.values.length
  return plan.kind === 'update' ? plan.changes.length : plan.records.length
}

/** A hook copies changes with a spread, so they are plain objects. */
function forHook(plan: WritePlan): WritePlan {
  if (plan.kind !== 'update') return plan
  return { ...plan, changes: plan.changes.map(({ record, values }) => ({ record, values })) }
}

/** A hook cannot change fixed values, such as the tenant of a new record. */
function withFixed(view: GenericViewSet, plan: WritePlan): WritePlan {
  if (plan.kind !== 'create' && plan.kind !== 'update') return plan
  const fixed = fixedValuesOf(view)
  if (plan.kind === 'create') return { ...plan, values: plan.values.map(values => ({ ...values, ...fixed })) }
  const changes = plan.changes.map(({ record, values }) => ({ record, values: withoutFixed(values, fixed) }))
  return { ...plan, changes }
}
