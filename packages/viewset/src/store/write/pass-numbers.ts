import type { ColumnInfo, TableInfo } from '../../model/model-info.ts'
import type { Database } from '../connection/database.ts'
import { tableName } from '../select.ts'
import type { Values } from './write.ts'

const numbered = new WeakMap<TableInfo, readonly ColumnInfo[]>()

/** The columns that the database numbers unless a row gives the number. */
function numberedColumns(model: TableInfo): readonly ColumnInfo[] {
  let known = numbered.get(model)
  if (!known) {
    known = model.columns.filter(({ kind, hasDefault, generated, createValue }) => {
      return (kind === 'integer' || kind === 'bigint') && hasDefault && !generated && !createValue
    })
    numbered.set(model, known)
  }
  return known
}

/** Whether new rows bring numbers that a sequence has to pass over. */
export function givesNumbers({ dialect }: Database, model: TableInfo, rows: readonly Values[]): boolean {
  if (!dialect.passNumber) return false
  return numberedColumns(model).some(({ key }) => rows.some(row => isNumber(row[key])))
}

/**
 * Lets the next number of each column follow the numbers that new rows have brought. Otherwise a later row without a
 * number would get one that is taken.
 */
export async function passGivenNumbers(database: Database, model: TableInfo, rows: readonly Values[]): Promise<void> {
  const { passNumber } = database.dialect
  if (!passNumber || !givesNumbers(database, model, rows)) return
  for (const { key, name } of numberedColumns(model)) {
    const given = rows.map(row => row[key]).filter(isNumber)
    if (given.length === 0) continue
    const last = given.reduce((most, number) => (number > most ? number : most))
    await database.run({ text: passNumber }, [tableName(model), name, String(last)])
  }
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint'
}
