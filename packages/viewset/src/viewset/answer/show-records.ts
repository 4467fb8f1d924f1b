import { keepContext, type User } from '../../core/context.ts'
import { jsonOf } from '../../core/json/json-of.ts'
import type { ApiRequest } from '../../core/request.ts'
import type { Model } from '../../model/kit.ts'
import { modelInfo } from '../../model/model-info.ts'
import type { PageParts } from '../../query/pagination.ts'
import { type ModelRecord, recordOf } from '../../records/record.ts'
import type { RecordList } from '../../records/record-list.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { writeBatches, writeItems } from '../../serializer/output/items.ts'
import { relatedOf } from '../../serializer/output/representation.ts'
import type { Representation } from '../../serializer/output/row-writer.ts'
import type { Database } from '../../store/connection/database.ts'
import type { RawRow } from '../../store/connection/driver.ts'
import { isPlain } from '../../store/projection.ts'
import { QuerySet } from '../../store/queryset.ts'
import { inOrder, keyPlace } from '../../store/row-order.ts'
import { shownSerializer } from '../reading/chosen-fields.ts'
import type { ResourceDefinition } from '../resource/resource.ts'
import { itemRepresentations, taggedItem } from '../version/tagged-items.ts'
import { ListPage } from './reply.ts'

export interface ShowingView {
  readonly action: string
  readonly isCustom: boolean
  readonly user: User | null
  readonly request: ApiRequest
  readonly database: Database
  readonly model: Model
  readonly definition: ResourceDefinition
  getSerializer(): ModelSerializer
  serialize(record: ModelRecord<Model>): Promise<object>
  overrides(hook: string): boolean
}

function serializesItself(view: ShowingView): boolean {
  return view.overrides('serialize')
}

export function shownRepresentation(view: ShowingView): Representation {
  const { listed, recorded } = itemRepresentations(view, shownSerializer(view))
  return serializesItself(view) ? recorded : listed
}

async function showRows(view: ShowingView, rows: readonly RawRow[], firstIndex: number | undefined): Promise<string> {
  if (serializesItself(view)) return jsonOf(await serializeRows(view, rows, firstIndex))
  const { listed } = itemRepresentations(view, shownSerializer(view))
  const related = listed.loadRelated ? await relatedOf(listed, view.database, rows) : undefined
  return writeItems(listed, rows, firstIndex, related)
}

/** Records as a JSON array, in their order. One statement reads them if their rows lack a shown column. */
export async function showRecords(view: ShowingView, records: RecordList): Promise<string> {
  const { recorded } = itemRepresentations(view, shownSerializer(view))
  const shown = shownRepresentation(view).projection
  // A write returns all of the model's columns, and a record's representation begins with those.
  if (isPlain(shown)) {
    const rows = await records.rows()
    if (serializesItself(view)) return jsonOf(await serializeRows(view, rows, undefined))
    return writeItems(recorded, rows, undefined, await relatedOf(recorded, view.database, rows))
  }
  const model = modelInfo(view.model)
  const rows = await new QuerySet(view.database, model).withKeys(shown, records.keys)
  const ordered = inOrder(view.database, model, rows, keyPlace(model, shown.columns), records.keys)
  return showRows(view, ordered, undefined)
}

export async function showPage(
  view: ShowingView,
  { rows, firstIndex, ...links }: PageParts,
  hasIndex: boolean,
): Promise<ListPage> {
  return new ListPage([await showRows(view, rows, hasIndex ? firstIndex : undefined)], links)
}

/** A list up to this length is sent at once. A longer one is read while it is sent. */
const BATCH = 1_000

export async function showWhole(view: ShowingView, queryset: QuerySet, hasIndex: boolean): Promise<ListPage> {
  const index = hasIndex ? 1 : undefined
  const start = await queryset.rows(shownRepresentation(view).projection, { limit: BATCH + 1, offset: 0 })
  if (start.length > BATCH) return new ListPage(showBatches(view, queryset, BATCH, index))
  return new ListPage([await showRows(view, start, index)])
}

function showBatches(
  view: ShowingView,
  queryset: QuerySet,
  batch: number,
  firstIndex: number | undefined,
): AsyncIterable<string> {
  if (!serializesItself(view)) return writeBatches(shownRepresentation(view), queryset, batch, firstIndex)
  return keepContext(serializedBatches(view, queryset, batch, firstIndex))
}

async function* serializedBatches(
  view: ShowingView,
  queryset: QuerySet,
  batch: number,
  firstIndex: number | undefined,
): AsyncGenerator<string> {
  let index = firstIndex
  for await (const rows of queryset.stream(shownRepresentation(view).projection, batch)) {
    yield jsonOf(await serializeRows(view, rows, index))
    if (index !== undefined) index += rows.length
  }
}

async function serializeRows(view: ShowingView, rows: readonly RawRow[], firstIndex: number | undefined) {
  const items: object[] = []
  for (const [position, row] of rows.entries()) {
    const record = recordOf(view.database, modelInfo(view.model), row)
    const item = taggedItem(view, await view.serialize(record), record)
    items.push(firstIndex === undefined ? item : { ...item, index: firstIndex + position })
  }
  return items
}
