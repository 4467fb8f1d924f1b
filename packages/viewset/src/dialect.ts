import './core/check-node.ts'

export type { KindName, ValueInfo } from './kinds/kind.ts'
export { createKit } from './model/create-kit.ts'
export type {
  Decoder,
  Dialect,
  ExpressionValue,
  JsonWriter,
  NamedTable,
  RowEstimate,
  RowLock,
  RowSetColumn,
  SearchedTable,
  SearchIndexSpelling,
  StoredColumn,
  StoredValue,
  TextMatch,
} from './model/dialect/dialect.ts'
export { defineDialect } from './model/dialect/dialects.ts'
export type { DatabaseFault } from './model/dialect/fault.ts'
export { postgresDialect } from './model/dialect/postgres.ts'
export { sqliteDialect } from './model/dialect/sqlite.ts'
export {
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
export type { ColumnBuilders } from './model/kit-columns.ts'
export type { KitParts } from './model/kit-extras.ts'
export { pgKitParts } from './model/pg-kit.ts'
export { type RenderedSql, sqlRenderer } from './model/sql-renderer.ts'
export { sqliteKitParts } from './model/sqlite-kit.ts'
export { Database } from './store/database.ts'
export { sqliteFunctions } from './store/dialect/sqlite-functions.ts'
export type {
  BeginOptions,
  Driver,
  Executor,
  JoinedConnection,
  ObservedExecutor,
  PrepareBatch,
  RawRow,
  Reader,
  Result,
  Statement,
  TransactionConnection,
} from './store/driver.ts'
