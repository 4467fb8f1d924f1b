import type { RecordList } from '../../records/record-list.ts'
import { isPlain } from '../../store/projection.ts'
import { isReadOfWritten } from '../../store/reads-of-written.ts'
import type { Returning } from '../../store/write.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import type { ListPage } from '../reply.ts'

/** What a bulk write answers where it is set not to return data. */
export interface BulkCount {
  readonly count: number
}

/** The records, or their number where `returnData` is false. */
export async function answer(
  view: GenericViewSet,
  returnData: boolean | undefined,
  records: RecordList,
): Promise<ListPage | BulkCount> {
  return (returnData ?? true) ? view.serializeMany(records) : { count: records.length }
}

/**
 * How much a set-wise write returns of its rows: all that its answer shows, where no code of the resource's own stands
 * between the two and no SQL of the user's own has to be read.
 */
export function returningOf(view: GenericViewSet, returnData = true, isOverridden: boolean): Returning {
  const { projection } = view.getSerializer().listed
  if (!returnData) return 'keys'
  if (isPlain(projection)) return 'rows'
  return isOverridden || !isReadOfWritten(projection) ? 'keys' : projection
}
