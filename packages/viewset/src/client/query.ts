type Scalar = string | number | bigint | boolean
/** A value of a query parameter; a list is sent with commas between its items. */
export type QueryValue = Scalar | readonly Scalar[] | undefined

/** The query string of these parameters, with its `?`; parameters that are undefined are left out. */
export function queryString(query: object = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query) as [string, QueryValue | null][]) {
    if (value !== undefined) search.append(name, textOf(name, value))
  }
  const text = String(search)
  return text && `?${text}`
}

/** @throws TypeError for what the API would take for something else, or for no filter at all. */
function textOf(name: string, value: Exclude<QueryValue, undefined> | null): string {
  if (value === null) throw new TypeError(`${name} cannot be null; ask for ${name}__isnull`)
  if (!Array.isArray(value)) return String(value)
  const text = value.join()
  // The API takes an empty text for no filter.
  if (text === '' && name !== 'ordering') throw new TypeError(`${name} is an empty list, which would find everything`)
  if (text.split(',').length > value.length && text !== '') {
    throw new TypeError(`${name} has an item with a comma, which would be two`)
  }
  return text
}
