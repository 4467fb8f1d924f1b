import type { SQL } from 'drizzle-orm'
import type { RowSetColumn } from '../model/dialect/dialect.ts'
import { ROWS } from '../model/dialect/write-text.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import type { Database } from './database.ts'
import { Bound } from './sql-value.ts'

const POSITION: RowSetColumn = { name: '_position', kind: 'integer', sqlType: 'integer' }

/** Keys for new rows that the database works out. */
export async function computedKeys(
  database: Database,
  { primaryKey }: { readonly primaryKey: ColumnInfo },
  expression: SQL,
  count: number,
): Promise<readonly unknown[]> {
  const { dialect } = database
  const bound = new Bound(dialect)
  const selected = bound.sql(expression)
  const positions = Array.from({ length: count }, (_, position) => [position])
  const text = `select ${selected} from (${bound.rows([POSITION], positions)}) as ${ROWS}`
  const statement = database.statement(text, () => text)
  const { rows } = await database.run(statement, bound.values)
  const decode = dialect.decoder(primaryKey)
  return rows.map(([key]) => decode(key))
}
