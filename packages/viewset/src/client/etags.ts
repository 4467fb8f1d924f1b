/** The tags of the records that responses have shown. */
const etags = new WeakMap<object, string>()

export function noteEtag(data: unknown, etag: string | null): void {
  if (etag !== null && typeof data === 'object' && data !== null) etags.set(data, etag)
}

/**
 * The tag of a record that a call has returned: its `ETag`, or `_etag` of an item of a list. `undefined` if the
 * resource has no setting `version`.
 *
 * @example
 * const visit = await client.visits.retrieve(5)
 * await client.visits.partialUpdate(5, { rating: 4 }, { ifMatch: etagOf(visit) })
 */
export function etagOf(record: object): string | undefined {
  const tag: unknown = etags.get(record) ?? Reflect.get(record, '_etag')
  return typeof tag === 'string' ? tag : undefined
}
