import * as z from 'zod'
import type { JsonSchema } from '../../kinds/json-schema.ts'
import { type Report, reportSchema } from '../../kinds/report-schema.ts'
import type { RowLock } from '../../model/dialect/dialect.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import { RecordList } from '../../records/record-list.ts'
import { readJsonValue } from '../../serializer/column-schema.ts'
import { isObject } from '../../serializer/relations/relation-schema.ts'
import { keyProjection, ownProjection } from '../../store/projection.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { inOrder, isSameKey, keyPlace, keyText, storedKeyTexts } from '../../store/row-order.ts'
import { placed } from '../../store/write/refused-rows.ts'
import { withExample } from '../description/route-description.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { partsIn } from '../records-in-scope.ts'
import { checkGuardsOfItems, guardsOfItems, hasGuards } from '../write/guards.ts'
import { type BulkView, bulkItems } from './items.ts'

export const BulkDeleteReport = () =>
  z
    .object({
      requested_count: z.int().min(0).describe('Keys submitted, repeated ones included.'),
      count: z.int().min(0).describe('Records that the database says were changed.'),
      missing_ids: z.array(z.unknown()).describe('Keys that match no record, as they were submitted.'),
    })
    .meta({ title: 'DeleteReport' })

/** The result of a bulk delete, soft delete or restore. */
export type BulkDeleteReport = Report<typeof BulkDeleteReport>

export function deleteReportSchema(): JsonSchema {
  return withExample(reportSchema(BulkDeleteReport), { requested_count: 1, count: 1, missing_ids: [] })
}

/** The submitted keys. If a mixin guards records, an item may be an object with the key and its guard. */
export function submittedKeys(view: GenericViewSet, items: readonly unknown[]): readonly unknown[] {
  if (!hasGuards(view)) return items
  const { model } = view.definition
  const { wire } = model.primaryKey
  if (model.key.length > 1) return items
  return items.map(item => (isObject(item) && Object.hasOwn(item, wire) ? item[wire] : item))
}

/** The key that an item names; `undefined` for none. The parts of a composite key are a text or an object. */
function keyIn(model: ModelInfo, item: unknown): unknown {
  if (model.key.length > 1) return typeof item === 'string' ? partsIn(model, item) : partsOf(model, item)
  const read = readJsonValue(model.primaryKey, item)
  return 'value' in read ? read.value : undefined
}

function partsOf({ key }: ModelInfo, item: unknown): readonly unknown[] | undefined {
  if (!isObject(item)) return undefined
  const parts = key.map(column => {
    const read = Object.hasOwn(item, column.wire) ? readJsonValue(column, item[column.wire]) : {}
    return 'value' in read ? read.value : undefined
  })
  return parts.includes(undefined) ? undefined : parts
}

export async function deleteReport(
  view: BulkView,
  queryset: QuerySet,
  lock: RowLock,
  perform: (records: RecordList) => Promise<number>,
): Promise<BulkDeleteReport> {
  const { model } = view.definition
  const submitted = bulkItems(view)
  const guards = guardsOfItems(view, submitted)
  const keys = submittedKeys(view, submitted).map(item => keyIn(model, item))
  const named = keys.filter(key => key !== undefined)
  const unique = [...new Map(named.map(key => [keyText(model, key), key])).values()]
  const readsRows = lock === 'update' || view.hasObjectPermissions || hasGuards(view) || view.overrides('write')
  const projection = readsRows ? ownProjection(model) : keyProjection(model)
  const rows = await queryset.withKeys(projection, unique, lock)
  const at = keyPlace(model, projection.columns)
  const found = new Set(storedKeyTexts(view.database, model, rows, at))
  const known = unique.filter(key => found.has(keyText(model, key)))
  const records = new RecordList(
    view.database,
    model,
    known,
    readsRows ? inOrder(view.database, model, rows, at, known) : undefined,
  )
  if (view.hasObjectPermissions) for (const record of await records.records()) await view.checkObjectPermissions(record)
  if (hasGuards(view)) {
    const fields = new Map((await records.records()).map((record, index) => [keyText(model, known[index]), record]))
    const items = keys.map((key, index) => {
      const record = key === undefined ? undefined : fields.get(keyText(model, key))
      return { guards: record ? (guards[index] ?? []) : [], record, input: submitted[index] }
    })
    await checkGuardsOfItems(view, items)
  }
  const count = await placed(
    index => String(keys.findIndex(key => key !== undefined && isSameKey(model, key, known[index]))),
    () => perform(records),
  )
  const missing = submitted.filter((_, i) => keys[i] === undefined || !found.has(keyText(model, keys[i])))
  return { requested_count: submitted.length, count, missing_ids: missing }
}
