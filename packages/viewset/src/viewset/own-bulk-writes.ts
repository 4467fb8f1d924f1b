import type { RecordList } from '../records/record-list.ts'
import type { Values } from '../store/write.ts'
import type { BulkChange } from './bulk/change.ts'
import type { GenericViewSet } from './generic-viewset.ts'
import {
  type CreateEach,
  type DestroyEach,
  ownPerformCreate,
  ownPerformDestroy,
  ownPerformUpdate,
  type UpdateEach,
} from './own-writes.ts'

// What upserts and imports write by: the resource's own hook for many records, else its own hook for one. `undefined` where
// it has neither, and a statement does for all.

interface OwnBulkWrites {
  performBulkCreate(values: Values[]): Promise<RecordList>
  performBulkUpdate(changes: readonly BulkChange[]): Promise<RecordList>
  performBulkDelete(records: RecordList): Promise<number>
}

export function ownPerformBulkCreate(view: GenericViewSet): CreateEach | undefined {
  if (!has(view, 'performBulkCreate')) return ownPerformCreate(view)
  return values => view.performBulkCreate([...values])
}

export function ownPerformBulkUpdate(view: GenericViewSet): UpdateEach | undefined {
  if (!has(view, 'performBulkUpdate')) return ownPerformUpdate(view)
  return changes => view.performBulkUpdate(changes)
}

export function ownPerformBulkDelete(view: GenericViewSet): DestroyEach | undefined {
  if (!has(view, 'performBulkDelete')) return ownPerformDestroy(view)
  return records => view.performBulkDelete(records)
}

function has<H extends keyof OwnBulkWrites>(
  view: GenericViewSet,
  hook: H,
): view is GenericViewSet & Pick<OwnBulkWrites, H> {
  return view.overrides(hook)
}
