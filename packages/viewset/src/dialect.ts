import './core/check-node.ts'

export type { KindName, ValueInfo } from './kinds/kind.ts'
export { createKit } from './model/create-kit.ts'
export {
  type DatePart,
  type Decoder,
  type Dialect,
  type ExpressionValue,
  type FoldedColumn,
  type JsonWriter,
  type NamedTable,
  type RenderedSql,
  type RowEstimate,
  type RowLock,
  type RowSetColumn,
  type SearchedTable,
  type SearchIndexSpelling,
  type StoredColumn,
  type StoredValue,
  sqlRenderer,
  type TextMatch,
} from './model/dialect/dialect.ts'
export { defineDialect } from './model/dialect/dialects.ts'
export type { DatabaseFault } from './model/dialect/fault.ts'
export { postgresDialect } from './model/dialect/postgres.ts'
export { sqliteDialect } from './model/dialect/sqlite.ts'
export {
  type ColumnOfRows,
  type DeleteAllText,
  type DeleteText,
  type InsertAllText,
  type InsertText,
  ROWS,
  type UpdateAllText,
  type UpdateText,
  type WriteAllSpelling,
  type WriteSpelling,
  writeSpelling,
} from './model/dialect/write-text.ts'
export type { DrizzleTableConfig } from './model/drizzle.ts'
export type { Collation } from './model/kit.ts'
export type { ColumnBuilders, KitParts } from './model/kit-columns.ts'
export { pgKitParts } from './model/pg-kit.ts'
export { sqliteKitParts } from './model/sqlite-kit.ts'
export { Database } from './store/connection/database.ts'
export type {
  Driver,
  Executor,
  JoinedConnection,
  ObservedExecutor,
  PrepareBatch,
  RawRow,
  Reader,
  Result,
  Statement,
  TableScan,
  TransactionConnection,
} from './store/connection/driver.ts'
export { sqliteFunctions } from './store/dialect/sqlite-connection.ts'
