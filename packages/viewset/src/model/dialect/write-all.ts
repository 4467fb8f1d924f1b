import { type InsertAllText, ROWS, type UpdateAllText, updateText, type WriteAllSpelling } from './write-text.ts'

// Writes of many rows: of all of them or of none. Each condition is about all rows, so that it is asked once.

/** As PostgreSQL spells them, where a statement can read what another one in it returns. */
export const pgWriteAll: WriteAllSpelling = {
  insert: text => {
    const { reads } = text
    return `with ${givenRows(text)}, ${written(insertRows(text, reads.columns))} ${reads.select(WRITTEN)}`
  },
  update: text => {
    const { key, reads } = text
    const rows = givenRows(text)
    // In the order of their keys, so that two requests for the same rows do not wait for each other.
    const locked = `"_locked" as materialized (${wantedRows(text, key.column)} order by ${key.column} for no key update)`
    return `with ${rows}, ${locked}, ${written(updateRows(text, () => '"_locked"', reads.columns))} ${reads.select(WRITTEN)}`
  },
}

/** As SQLite spells them, where nobody else writes meanwhile and only RETURNING reads what was written. */
export const sqliteWriteAll: WriteAllSpelling = {
  insert: text => `with ${givenRows(text)} ${insertRows(text, text.reads.returning())}`,
  update: text => {
    const rows = givenRows(text)
    return `with ${rows} ${updateRows(text, () => `(${wantedRows(text, '1')})`, text.reads.returning())}`
  },
}

const WRITTEN = '"_written"'

function givenRows({ rows }: InsertAllText | UpdateAllText): string {
  return `${ROWS} as materialized (${rows()})`
}

function written(write: string): string {
  return `${WRITTEN} as (${write})`
}

function insertRows({ table, columns, values, conditions }: InsertAllText, returning: readonly string[]): string {
  const selected = `select ${values().join(', ')} from ${ROWS}`
  const terms = conditions()
  const where = terms.length === 0 ? '' : ` where ${terms.join(' and ')}`
  return `insert into ${table} (${columns.join(', ')}) ${selected}${where} returning ${returning.join(', ')}`
}

function updateRows(
  { table, key, set, conditions }: UpdateAllText,
  found: () => string,
  returning: readonly string[],
): string {
  const where = () => {
    // A key finds one row at most: as many rows as keys are all of them, and no key stands there twice.
    const isWhole = `(select count(*) from ${found()}) = (select count(*) from ${ROWS})`
    return [`${key.column} = ${key.row}`, isWhole, ...conditions()].join(' and ')
  }
  return updateText({ table, set, where, returning }, () => ` from ${ROWS}`)
}

/** A `select` of the table's rows that are to be written, as far as they are there. */
function wantedRows({ table, key, scope }: UpdateAllText, selected: string): string {
  const terms = [`${key.column} in (select ${key.row} from ${ROWS})`]
  const condition = scope()
  if (condition !== undefined) terms.push(condition)
  return `select ${selected} from ${table} where ${terms.join(' and ')}`
}
