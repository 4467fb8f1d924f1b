import {
  type DeleteAllText,
  type InsertAllText,
  insertText,
  ROWS,
  type UpdateAllText,
  updateText,
  type WriteAllSpelling,
  writeSpelling,
} from './write-text.ts'

// Writes of all given rows or none. Each condition covers all rows, so that it is evaluated once.

export const pgWriteAll: WriteAllSpelling = {
  insert: text => {
    const { reads } = text
    return `with ${givenRows(text)}, ${written(insertRows(text, reads.columns))} ${reads.select(WRITTEN)}`
  },
  update: text => {
    const { reads } = text
    const rows = `${givenRows(text)}, ${lockedRows(text, 'no key update')}`
    return `with ${rows}, ${written(updateRows(text, lockedKeys, reads.columns))} ${reads.select(WRITTEN)}`
  },
  delete: text => `with ${givenRows(text)}, ${lockedRows(text, 'update')} ${deleteRows(text, lockedKeys)}`,
}

/** In SQLite no other program writes meanwhile, and only RETURNING can read written rows. */
export const sqliteWriteAll: WriteAllSpelling = {
  insert: text => `with ${givenRows(text)} ${insertRows(text, text.reads.returning())}`,
  update: text => {
    const rows = givenRows(text)
    return `with ${rows} ${updateRows(text, wantedKeys(text), text.reads.returning())}`
  },
  delete: text => {
    const rows = givenRows(text)
    return `with ${rows} ${deleteRows(text, wantedKeys(text))}`
  },
}

const LOCKED = '"viewset:locked"'
const WRITTEN = '"viewset:written"'

/** SQLite reads the parameters inline, in half the time of a CTE. PostgreSQL materializes a CTE by itself. */
function givenRows({ rows }: { rows(): string }): string {
  return `${ROWS} as (${rows()})`
}

/** Ordered by key, so that two requests for the same rows cannot deadlock. */
function lockedRows(text: DeleteAllText, lock: string): string {
  const { column } = text.key
  return `${LOCKED} as materialized (${wantedRows(text, `${column} as key`)} order by ${column} for ${lock})`
}

function written(write: string): string {
  return `${WRITTEN} as (${write})`
}

function insertRows({ conditions, ...text }: InsertAllText, returning: readonly string[]): string {
  return insertText({ ...text, where: () => conditions().join(' and '), returning }, () => ` from ${ROWS}`)
}

function updateRows(
  { table, key, set, conditions }: UpdateAllText,
  countFound: () => string,
  returning: readonly string[],
): string {
  const where = () => [`${key.column} = ${key.row}`, areAllThere(countFound), ...conditions()].join(' and ')
  return updateText({ table, set, where, returning }, () => ` from ${ROWS}`)
}

function deleteRows(text: DeleteAllText, countFound: () => string): string {
  const { table } = text
  const where = () => `${isWanted(text)} and ${areAllThere(countFound)}`
  return writeSpelling.delete({ table, where, returning: [] })
}

/** Keys are distinct, so all rows exist if the numbers are equal, even if the table has duplicate keys. */
function areAllThere(countFound: () => string): string {
  return `(${countFound()}) = (select count(*) from ${ROWS})`
}

function wantedKeys(text: DeleteAllText): () => string {
  return () => wantedRows(text, distinct(text.key.column))
}

function lockedKeys(): string {
  return `select ${distinct('key')} from ${LOCKED}`
}

function distinct(column: string): string {
  return `count(distinct ${column})`
}

function wantedRows(text: DeleteAllText, selected: string): string {
  const condition = text.scope()
  const where = condition === undefined ? isWanted(text) : `${isWanted(text)} and ${condition}`
  return `select ${selected} from ${text.table} where ${where}`
}

/**
 * A guard that expects null never matches here. Then nothing is written, and the path of several statements compares.
 */
function isWanted({ key, guards }: DeleteAllText): string {
  const rows = [key.row, ...guards.map(({ row }) => row)].join(', ')
  const columns = [key.column, ...guards.map(({ column }) => column)].join(', ')
  return `${guards.length === 0 ? columns : `(${columns})`} in (select ${rows} from ${ROWS})`
}
