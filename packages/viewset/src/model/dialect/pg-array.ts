import { type Column, is } from 'drizzle-orm'
import { PgArray, PgBoolean } from 'drizzle-orm/pg-core'

/** A part of an array's text: a bracket, a comma, a quoted item or a plain one. */
const PART = /[{},]|"((?:[^"\\]|\\.)*)"|[^{},"]+/gs

/**
 * Reads the text that PostgreSQL has for an array, each item (not null) by `read`.
 *
 * @example
 * readPgArray('{a,"b,c",NULL}', item => item) // ['a', 'b,c', null]
 */
export function readPgArray(text: string, read: (item: string) => unknown): unknown {
  const open: unknown[][] = [[]]
  // An array with other bounds than usual says so first: `[0:1]={a,b}`.
  for (const [part, quoted] of text.slice(text.indexOf('{')).matchAll(PART)) {
    if (part === '{') open.push([])
    else if (part === '}') {
      const list = open.pop()
      open.at(-1)?.push(list)
    } else if (quoted !== undefined) open.at(-1)?.push(read(quoted.replace(/\\(.)/gs, '$1')))
    else if (part !== ',') open.at(-1)?.push(part === 'NULL' ? null : read(part))
  }
  return open[0]?.[0]
}

/**
 * Reads the items of a plain Drizzle column's array. Drizzle's own reader takes NULL for a word and loses backslashes;
 * it expects that the driver has read the array before.
 */
export function itemReader(column: Column): (item: string) => unknown {
  const own = itemColumn(column)
  return item => (is(own, PgBoolean) ? item === 't' : own.mapFromDriverValue(item))
}

function itemColumn(column: Column): Column {
  return is(column, PgArray) ? itemColumn(column.baseColumn) : column
}
