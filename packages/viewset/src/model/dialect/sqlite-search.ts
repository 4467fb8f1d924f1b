import { type SQL, sql } from 'drizzle-orm'
import { foldCase } from '../../core/text.ts'
import { quoteName } from '../drizzle.ts'
import type { SearchedTable, SearchIndexSpelling } from './dialect.ts'

/** The index stores trigrams, so it cannot find shorter texts. */
const GRAM = 3
/** Trigrams of a long text to look up. The condition itself compares the rest. */
const MOST_GRAMS = 24

/**
 * Separates the pieces of a folded text that can be looked up. The index folds case by an older Unicode table, so it
 * may fold these characters differently. (U+0130, which only our folding turns into an i, is replaced before the index
 * sees it.)
 */
const UNSURE =
  /[^\u0020-\u0137\u0139-\u0148\u014a-\u017e\u01a1\u01b0\u0386-\u03ce\u0400-\u0527\u0590-\u06ff\u0900-\u0e7f\u1100-\u11ff\u1e00-\u1e95\u1ea0-\u1eff\u2000-\u206f\u3000-\u9fff\uac00-\ud7a3\u{20000}-\u{3ffff}]/u

/**
 * A contentless FTS5 table of trigrams with triggers that keep it current. The triggers call only SQLite's own
 * functions, so that any program can write to the table.
 *
 * The index refers to row numbers. If they are not a column of the table, VACUUM or a dump can change them. So a second
 * table assigns a permanent number to each key.
 */
export const sqliteSearchIndex: SearchIndexSpelling = {
  create: table => {
    const { index, keys, name, key, columns } = namesOf(table)
    const drops = [
      ...triggers(table).map(({ trigger }) => `DROP TRIGGER IF EXISTS ${trigger}`),
      ...[index, keys].map(each => `DROP TABLE IF EXISTS ${each}`),
    ]
    const fill = hasOwnNumbers(table)
      ? [`INSERT INTO ${index} (rowid, ${columns}) SELECT ${key}, ${texts(table, '')} FROM ${name}`]
      : [
          `INSERT INTO ${keys} (key) SELECT ${key} FROM ${name}`,
          `INSERT INTO ${index} (rowid, ${columns}) SELECT docid, ${texts(table, '')} FROM ${keys} JOIN ${name} ON ${key} = key`,
        ]
    return [...drops, ...tables(table), ...fill, ...triggers(table).map(({ text }) => text)]
  },
  tableNames: ({ name }) => Object.values(partsOf(name)),
  isTaken: ({ name }) => {
    const { index, keys } = partsOf(name)
    const isOther = (own: string, sql: string) =>
      `name = ${literal(own)} collate nocase and sql not like ${literal(sql)}`
    const others = [
      isOther(index, `create virtual table % using fts5(%, content='', %`),
      isOther(keys, 'create table % (docid integer primary key, key %'),
    ]
    return `select exists (select 1 from sqlite_schema where ${others.join(' or ')})`
  },
  isThere: table => {
    const made = [...tables(table), ...triggers(table).map(({ text }) => text)]
    return `select count(*) = ${made.length} from sqlite_schema where sql in (${made.map(literal).join(', ')})`
  },
  lookUp: text => {
    const pieces = foldCase(text).split(UNSURE)
    const grams = new Set(pieces.flatMap(gramsOf))
    if (grams.size === 0) return undefined
    return [...grams]
      .slice(0, MOST_GRAMS)
      .map(gram => `"${gram.replaceAll('"', '""')}"`)
      .join(' AND ')
  },
  count: (table, limit) => {
    const { index } = namesOf(table)
    return `select count(*) from (select 1 from ${index} where ${index} match +? limit ${limit + 1})`
  },
  isMatch: (table, match) => {
    const { index, keys, name, key } = namesOf(table)
    const found = hasOwnNumbers(table)
      ? `select rowid from ${index}`
      : `select ${keys}.key from ${index} join ${keys} on ${keys}.docid = ${index}.rowid`
    return sql.join([sql.raw(`${name}.${key} in (${found} where ${index} match `), sql`${match})`]) as SQL
  },
}

function hasOwnNumbers({ primaryKey }: SearchedTable): boolean {
  return primaryKey.sqlType.toLowerCase() === 'integer'
}

function partsOf(name: string) {
  return { index: `${name}_search`, keys: `${name}_search_keys` }
}

function namesOf({ name, primaryKey, searchIndex }: SearchedTable) {
  const { index, keys } = partsOf(name)
  return {
    name: quoteName(name),
    index: quoteName(index),
    keys: quoteName(keys),
    key: quoteName(primaryKey.name),
    columns: searchIndex.map(column => quoteName(column.name)).join(', '),
  }
}

function texts({ searchIndex }: SearchedTable, row: string): string {
  return searchIndex.map(column => `replace(${row}${quoteName(column.name)}, 'İ', 'i')`).join(', ')
}

/** SQLite stores a definition as written from its third word on, and the first two words in capitals. */
function tables(table: SearchedTable): readonly string[] {
  const { index, keys, columns } = namesOf(table)
  const options = `content='', contentless_delete=1, detail=none, tokenize='trigram'`
  return [
    `CREATE VIRTUAL TABLE ${index} USING fts5(${columns}, ${options})`,
    ...(hasOwnNumbers(table)
      ? []
      : [`CREATE TABLE ${keys} (docid integer PRIMARY KEY, key ${table.primaryKey.sqlType} NOT NULL UNIQUE)`]),
  ]
}

interface Trigger {
  readonly trigger: string
  readonly text: string
}

function triggers(table: SearchedTable): readonly Trigger[] {
  const { index, keys, name, key, columns } = namesOf(table)
  const isOwn = hasOwnNumbers(table)
  const numberOf = (row: string) => (isOwn ? `${row}.${key}` : `(SELECT docid FROM ${keys} WHERE key = ${row}.${key})`)
  const forget = (row: string) => [
    `DELETE FROM ${index} WHERE rowid = ${numberOf(row)};`,
    ...(isOwn ? [] : [`DELETE FROM ${keys} WHERE key = ${row}.${key};`]),
  ]
  // No trigger runs for a row that REPLACE removes, so the old entry of a new row's key is removed first.
  const learn = [
    ...forget('new'),
    ...(isOwn ? [] : [`INSERT INTO ${keys} (key) VALUES (new.${key});`]),
    `INSERT INTO ${index} (rowid, ${columns}) VALUES (${numberOf('new')}, ${texts(table, 'new.')});`,
  ]
  const written = [...new Set([...table.searchIndex, table.primaryKey])].map(column => quoteName(column.name))
  const differs = written.map(column => `old.${column} COLLATE binary IS NOT new.${column}`).join(' OR ')
  const make = (event: string, when: string, body: readonly string[]) => {
    const trigger = quoteName(`${table.name}_search_${event.slice(0, 6).toLowerCase()}`)
    return {
      trigger,
      text: `CREATE TRIGGER ${trigger} AFTER ${event} ON ${name}${when} BEGIN ${body.join(' ')} END`,
    }
  }
  return [
    make('INSERT', '', learn),
    make(`UPDATE OF ${written.join(', ')}`, ` WHEN ${differs}`, [...forget('old'), ...learn]),
    make('DELETE', '', forget('old')),
  ]
}

function gramsOf(text: string): readonly string[] {
  const characters = [...text]
  return characters.slice(GRAM - 1).map((_, end) => characters.slice(end, end + GRAM).join(''))
}

function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
