/** A `select` of how many rows there are, of which it looks at no more than `limit` and one. */
export function countSome(table: string, where: string, limit: number): string {
  return `select count(*) from (select 1 from ${table}${where} limit ${limit + 1}) as counted`
}
