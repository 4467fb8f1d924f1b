import type { DialectName } from '../case.ts'
import { execute } from '../fixture/execute.ts'
import { schema } from '../fixture/schema.ts'

const COUNTRIES = 250

/** Tables with as many cities, made by the database itself. */
export async function seedRows(dialect: DialectName, location: string, rows: number): Promise<void> {
  const id = (kind: number, n: string) =>
    dialect === 'sqlite'
      ? `printf('01900000-0000-7000-800${kind}-%012x', ${n})`
      : `('01900000-0000-7000-800${kind}-' || lpad(to_hex(${n}), 12, '0'))::uuid`
  const numbers = (count: number) =>
    dialect === 'sqlite'
      ? `(with recursive s(n) as (select 0 union all select n + 1 from s where n < ${count - 1}) select n from s)`
      : `(select n from generate_series(0::bigint, ${count - 1}) as s(n))`
  const text = (n: string) => (dialect === 'sqlite' ? `printf('%09d', ${n})` : `lpad((${n})::text, 9, '0')`)
  const active = dialect === 'sqlite' ? '1' : 'true'
  await execute(dialect, location, [
    schema(dialect),
    `insert into countries select ${id(1, 'n')}, 'XX', 'Country ' || n from ${numbers(COUNTRIES)} as numbers`,
    `insert into regions select ${id(2, 'n')}, 'R' || n, 'Region ' || n from ${numbers(COUNTRIES)} as numbers`,
    // 7,919 is a prime: names in no order, each of them once.
    `insert into cities (id, created_at, updated_at, is_active, name, latitude, longitude, country_id, region_id)
      select ${id(0, 'n')}, '2026-01-15T00:00:00.000000Z', '2026-01-15T00:00:00.000000Z', ${active},
        'Cidade ' || ${text(`(n * 7919) % ${rows}`)}, n % 90, n % 180,
        ${id(1, `n % ${COUNTRIES}`)}, ${id(2, `n % ${COUNTRIES}`)}
      from ${numbers(rows)} as numbers`,
    ...(dialect === 'sqlite' ? ['analyze'] : ['checkpoint', 'vacuum (analyze, freeze)']),
  ])
}
