import type { Text } from '../../core/messages/message.ts'
import type { ReadContext } from '../../kinds/kind.ts'
import { isWritable, type ManyField, takesRecords } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { choosesKey } from '../../serializer/relations/related-records.ts'
import { isObject } from '../../serializer/relations/relation-schema.ts'
import { validateLists } from '../../serializer/validate.ts'
import type { Database } from '../../store/connection/database.ts'
import { hasJoinTable } from '../../store/to-many.ts'
import type { Values } from '../../store/write/write.ts'
import { refersTo } from '../plan/written-models.ts'
import type { ImportRow } from '../read/import-row.ts'
import type { ModelReader } from '../read/model-reader.ts'
import type { ImportedSheet } from '../read/sheet-layout.ts'
import type { ImportRecord } from './row-groups.ts'

/** Entries of lists that are written together, to save memory. */
const MOST_ENTRIES = 10_000

/**
 * The rows in parts, each with a bounded number of entries in its lists. Entries may refer to records that a later row
 * of the sheet writes. Then each row is a part.
 */
export function boundedParts({ models }: ImportedSheet, rows: readonly ImportRow[]): readonly (readonly ImportRow[])[] {
  const lists = models.flatMap(({ columns }, model) =>
    columns.flatMap(({ plan: { list } }, at) => (list ? [{ list, model, at }] : [])),
  )
  if (lists.length === 0) return [rows]
  if (lists.some(({ list }) => models.some(({ reader }) => refersTo(list, reader.plan.model))))
    return rows.map(row => [row])
  const parts: ImportRow[][] = []
  let entries = 0
  for (const row of rows) {
    const cells = lists.map(({ model, at }) => row.cells[model]?.[at])
    const more = cells.reduce((sum: number, cell) => sum + (Array.isArray(cell) ? cell.length : 0), 0)
    if (parts.length === 0 || entries + more > MOST_ENTRIES) {
      parts.push([])
      entries = 0
    }
    entries += more
    parts.at(-1)?.push(row)
  }
  return parts
}

interface ListReading {
  readonly database: Database
  readonly context: ReadContext
  /** Whether the import has deleted all stored records, with their children. */
  readonly isReplace: boolean
  /** The stored record of a row that updates one. */
  storedOf(record: ImportRecord): Values | undefined
  fail(record: ImportRecord, path: string, text: Text): void
}

/**
 * Validates the lists of records, which then stand among their values. Returns the records whose lists are valid, and
 * contested ones. The number of statements does not grow with the records.
 */
export async function readLists(
  { plan, serializer }: ModelReader,
  records: readonly ImportRecord[],
  { database, context, isReplace, storedOf, fail }: ListReading,
): Promise<readonly ImportRecord[]> {
  const lists = plan.columns.flatMap(({ list }, at) => (list ? [{ list, at }] : []))
  const given = records.filter(({ cells }) => lists.some(({ at }) => cells[at] !== undefined))
  if (!serializer || given.length === 0) return records
  const items = given.map(record => {
    const sent = lists.map(({ list, at }) => {
      const cell = record.cells[at]
      return [list.wire, isReplace && Array.isArray(cell) ? withoutKeys(list, cell) : cell] as const
    })
    return { input: Object.fromEntries(sent), key: record.key, record: storedOf(record) }
  })
  const fields = lists.map(({ list }) => list)
  const { validated, contested } = await validateLists(serializer, database, fields, items, context)
  const failed = new Set<ImportRecord>()
  for (const [index, record] of given.entries()) {
    const item = validated[index]!
    const { values, errors } = item
    record.isContested = contested.has(item)
    if (record.isContested) continue
    record.values = { ...record.values, ...values }
    for (const [path, texts] of Object.entries(errors)) {
      failed.add(record)
      for (const text of texts) fail(record, path, text)
    }
  }
  return records.filter(record => !failed.has(record))
}

/** A list of a file that was exported before the children were deleted. Keys that clients choose are kept. */
function withoutKeys({ serializer, relation }: ManyField, items: readonly unknown[]): readonly unknown[] {
  if (!serializer || hasJoinTable(relation)) return items
  const nested = serializer.fields.filter(field => field.kind === 'many' && isWritable(field) && takesRecords(field))
  return items.map(item => (isObject(item) ? withoutKey(serializer, nested, item) : item))
}

function withoutKey(
  serializer: ModelSerializer,
  nested: readonly ModelSerializer['fields'][number][],
  item: Values,
): Values {
  const { wire } = serializer.info.primaryKey
  const entries = Object.entries(item).filter(([name]) => name !== wire || choosesKey(serializer))
  return Object.fromEntries(
    entries.map(([name, value]) => {
      const list = nested.find(field => field.wire === name)
      return [name, list?.kind === 'many' && Array.isArray(value) ? withoutKeys(list, value) : value]
    }),
  )
}
