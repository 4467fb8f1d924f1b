import type { RecordList } from '../../records/record-list.ts'
import { isPlain } from '../../store/projection.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import type { ListPage } from '../reply.ts'

/** The answer of a bulk write without `returnData`. */
export interface BulkCount {
  readonly count: number
}

export async function answer(
  view: GenericViewSet,
  returnData: boolean | undefined,
  records: RecordList,
): Promise<ListPage | BulkCount> {
  return (returnData ?? true) ? view.serializeMany(records) : { count: records.length }
}

export function returnsRows(view: GenericViewSet, returnData: boolean | undefined): boolean {
  return (returnData ?? true) && isPlain(view.getSerializer().listed.projection)
}
