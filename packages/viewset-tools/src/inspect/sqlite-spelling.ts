import type { CatalogueColumn } from '../catalogue/catalogue.ts'
import { options, quoted } from '../code.ts'
import { ownType, type Spelling, type Use } from './spelling.ts'

/** Declared types by their words. First come types that mean more to people than to SQLite, then SQLite's own rules. */
const TYPES: readonly (readonly [RegExp, (name: string, use: Use, length: string | undefined) => string])[] = [
  [/BOOL/, (name, use) => `${use('integer')}(${name}, { mode: 'boolean' })`],
  [/JSON/, (name, use) => `${use('text')}(${name}, { mode: 'json' })`],
  [/BIG.*INT|INT8/, (name, use) => ownType('bigint', name, use, 'bigint; driverData: bigint')],
  [/INT/, (name, use) => `${use('integer')}(${name})`],
  [/CHAR|CLOB|TEXT|STRING|DATE|TIME|UUID/, (name, use, length) => textOf(name, use, length)],
  [/REAL|FLOA|DOUB/, (name, use) => `${use('real')}(${name})`],
  [/BLOB|BINARY|^$/, (name, use) => `${use('blob')}(${name}, { mode: 'buffer' })`],
  [/(?:)/, (name, use) => `${use('numeric')}(${name})`],
]

function textOf(name: string, use: Use, length: string | undefined): string {
  const limits = options({ length })
  return `${use('text')}(${name}${limits && `, ${limits}`})`
}

export const sqliteSpelling: Spelling = {
  module: 'drizzle-orm/sqlite-core',
  functions:
    'blob customType foreignKey index integer numeric primaryKey real sqliteTable text unique uniqueIndex'.split(' '),
  table: 'sqliteTable',
  rule: 'SQLiteTableExtraConfigValue',
  column: columnOf,
  default: column => column.default,
  numbered: () => '',
  generated: ({ stored }) => `, { mode: '${stored ? 'stored' : 'virtual'}' }`,
  descending: column => `sql\`\${${column}} desc\``,
}

function columnOf({ name, type }: CatalogueColumn, use: Use): string {
  const [, length] = /CHAR\w*\s*\(\s*(\d+)\s*\)/i.exec(type) ?? []
  const [, write] = TYPES.find(([pattern]) => pattern.test(type.toUpperCase())) ?? []
  return write?.(quoted(name), use, length) ?? ''
}
