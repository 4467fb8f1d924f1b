import { type Column, is } from 'drizzle-orm'
import { PgArray, PgBoolean } from 'drizzle-orm/pg-core'

/** A part of an array's text: a bracket, a comma, a quoted item or a plain one. */
const PART = /[{},]|"((?:[^"\\]|\\.)*)"|[^{},"]+/gs

/**
 * Reads the text that PostgreSQL has for an array, items by their own column. Drizzle's reader takes NULL for a word and
 * loses backslashes; it expects that the driver has read the array before.
 *
 * @example
 * readPgArray(posts.tags, '{a,"b,c",NULL}') // ['a', 'b,c', null]
 */
export function readPgArray(column: Column, text: string): unknown {
  const item = itemColumn(column)
  const read = (value: string) => (is(item, PgBoolean) ? value === 't' : item.mapFromDriverValue(value))
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

function itemColumn(column: Column): Column {
  return is(column, PgArray) ? itemColumn(column.baseColumn) : column
}
