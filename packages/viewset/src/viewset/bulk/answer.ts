import type { RecordList } from '../../records/record-list.ts'
import { isPlain } from '../../store/projection.ts'
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

/** Whether the rows that a write returns are all that its answer needs; relations and expressions are read afterwards. */
export function returnsRows(view: GenericViewSet, returnData: boolean | undefined): boolean {
  return (returnData ?? true) && isPlain(view.getSerializer().listed.projection)
}
