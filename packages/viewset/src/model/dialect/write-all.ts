import {
  type DeleteAllText,
  type InsertAllText,
  ROWS,
  type UpdateAllText,
  updateText,
  type WriteAllSpelling,
} from './write-text.ts'

// Writes of many rows: of all of them or of none. Each condition is about all rows, so that it is asked once.

/** As PostgreSQL spells them, where a statement can read what another one in it returns. */
export const pgWriteAll: WriteAllSpelling = {
  insert: text => {
    const { reads } = text
    return `with ${keptRows(text)}, ${written(insertRows(text, reads.columns))} ${reads.select(WRITTEN)}`
  },
  update: text => {
    const { reads } = text
    const rows = `${keptRows(text)}, ${lockedRows(text, 'no key update')}`
    return `with ${rows}, ${written(updateRows(text, lockedKeys, reads.columns))} ${reads.select(WRITTEN)}`
  },
  delete: text => `with ${keptRows(text)}, ${lockedRows(text, 'update')} ${deleteRows(text, lockedKeys)}`,
}

/** As SQLite spells them, where nobody else writes meanwhile and only RETURNING reads what was written. */
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

/** Each place that names them reads what was sent, which SQLite does in half of the time that a table of them takes. */
function givenRows({ rows }: { rows(): string }): string {
  return `${ROWS} as (${rows()})`
}

function keptRows({ rows }: { rows(): string }): string {
  return `${ROWS} as materialized (${rows()})`
}

/** In the order of their keys, so that two requests for the same rows do not wait for each other. */
function lockedRows(text: DeleteAllText, lock: string): string {
  const { column } = text.key
  return `${LOCKED} as materialized (${wantedRows(text, `${column} as key`)} order by ${column} for ${lock})`
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
  countFound: () => string,
  returning: readonly string[],
): string {
  const where = () => [`${key.column} = ${key.row}`, isWhole(countFound), ...conditions()].join(' and ')
  return updateText({ table, set, where, returning }, () => ` from ${ROWS}`)
}

function deleteRows({ table, key }: DeleteAllText, countFound: () => string): string {
  return `delete from ${table} where ${isWanted(key)} and ${isWhole(countFound)}`
}

/** Keys are given once: as many as are given are all of them, also in a table that has rows with the same. */
function isWhole(countFound: () => string): string {
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

/** A `select` of the table's rows that are to be written, as far as they are there. */
function wantedRows({ table, key, scope }: DeleteAllText, selected: string): string {
  const condition = scope()
  const where = condition === undefined ? isWanted(key) : `${isWanted(key)} and ${condition}`
  return `select ${selected} from ${table} where ${where}`
}

function isWanted({ column, row }: DeleteAllText['key']): string {
  return `${column} in (select ${row} from ${ROWS})`
}
