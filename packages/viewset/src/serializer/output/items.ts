import { keepContext } from '../../core/context.ts'
import type { Executor, RawRow } from '../../store/connection/driver.ts'
import type { QuerySet } from '../../store/queryset.ts'
import { relatedOf } from './representation.ts'
import type { Related, Representation } from './row-writer.ts'

/**
 * Rows as a JSON array. With `firstIndex`, each item has its position. `related` is the result of `relatedOf`, for a
 * representation with to-many relations.
 */
export function writeItems(
  { open }: Representation,
  rows: readonly RawRow[],
  firstIndex: number | undefined,
  related?: Related,
): string {
  let json = '['
  for (let i = 0; i < rows.length; i++) {
    if (i > 0) json += ','
    json += open(rows[i] as RawRow, related)
    json += firstIndex === undefined ? '}' : `,"index":${firstIndex + i}}`
  }
  return `${json}]`
}

/** The rows of a queryset as JSON arrays, in batches. `index` continues across batches. */
export function writeBatches(
  representation: Representation,
  queryset: QuerySet,
  batch: number,
  firstIndex: number | undefined,
): AsyncIterable<string> {
  let index = firstIndex
  return readBatches(representation, queryset, batch, (rows, related) => {
    const items = writeItems(representation, rows, index, related)
    if (index !== undefined) index += rows.length
    return items
  })
}

/**
 * The results of `write` for each batch of a queryset's rows and their related records. Runs in the request's context,
 * also if another context reads the results.
 */
export function readBatches<T>(
  representation: Pick<Representation, 'projection' | 'loadRelated'>,
  queryset: QuerySet,
  batch: number,
  write: (rows: readonly RawRow[], related: Related | undefined) => T,
): AsyncIterable<T> {
  let related: Related | undefined
  const prepareBatch = representation.loadRelated
    ? async (rows: readonly RawRow[], executor: Executor) => {
        related = await relatedOf(representation, queryset.database, rows, executor)
      }
    : undefined
  async function* batches() {
    const stream = queryset.stream(representation.projection, batch, prepareBatch)
    for await (const rows of stream) yield write(rows, related)
  }
  return keepContext(batches())
}
