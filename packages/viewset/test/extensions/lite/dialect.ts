import { SQLiteSyncDialect } from 'drizzle-orm/sqlite-core'
import {
  type Dialect,
  type ExpressionValue,
  type StoredColumn,
  sqliteDialect,
  sqlRenderer,
  writeSpelling,
} from 'viewset/dialect'

const placeholder = () => '?'

type ReadColumn = StoredColumn | ExpressionValue

/** Somebody else's database: SQLite's language, but for its placeholders, its inserts and what a boolean is. */
export const liteDialect: Dialect = {
  ...sqliteDialect,
  name: 'lite',
  title: 'Lite',
  placeholder,
  typedPlaceholder: placeholder,
  render: sqlRenderer(new SQLiteSyncDialect(), placeholder),
  writes: {
    ...writeSpelling,
    insert: text => writeSpelling.insert(text).replace(/^insert/, 'insert or abort'),
  },
  encode: (info, value) => (info.kind === 'boolean' ? yesOrNo(value) : sqliteDialect.encode(info, value)),
  encodeKind: (info, value) => (info.kind === 'boolean' ? yesOrNo(value) : sqliteDialect.encodeKind(info, value)),
  decoder: info => (isBoolean(info) ? isYes : sqliteDialect.decoder(info)),
  kindDecoder: info => (isBoolean(info) ? isYes : sqliteDialect.kindDecoder(info)),
  jsonWriter: info => (isBoolean(info) ? raw => String(isYes(raw)) : sqliteDialect.jsonWriter(info)),
}

function isBoolean({ kind }: ReadColumn): boolean {
  return kind === 'boolean'
}

function yesOrNo(value: unknown): unknown {
  return typeof value === 'boolean' ? (value ? 'yes' : 'no') : value
}

function isYes(raw: unknown): boolean {
  return raw === 'yes'
}
