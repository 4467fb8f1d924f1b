import type { Executor, RawRow } from '../store/driver.ts'
import type { QuerySet } from '../store/queryset.ts'
import { prepare, type Related, type Representation } from './representation.ts'

/**
 * Rows as a JSON array; with `firstIndex`, each item carries its position (SPEC, "List items"). `related` is what
 * `prepare` returned, for a representation with to-many relations.
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

/** The rows of a queryset, in batches as JSON arrays; `index` goes on from one to the next. */
export async function* writeBatches(
  representation: Representation,
  queryset: QuerySet,
  batch: number,
  firstIndex: number | undefined,
): AsyncGenerator<string> {
  let index = firstIndex
  let related: Related | undefined
  const prepareBatch = representation.prepare
    ? async (rows: readonly RawRow[], executor: Executor) => {
        related = await prepare(representation, queryset.database, rows, executor)
      }
    : undefined
  for await (const rows of queryset.stream(representation.projection, batch, prepareBatch)) {
    yield writeItems(representation, rows, index, related)
    if (index !== undefined) index += rows.length
  }
}
