import { type HasDefault, type IsPrimaryKey, isNotNull, type NotNull } from 'drizzle-orm'
import { momentOfWrite } from '../../core/clock.ts'
import type { ColumnKit, KitColumn } from '../kit.ts'

type HistoryTableKit = Pick<ColumnKit, 'table' | 'uuid' | 'text' | 'json' | 'timestamp' | 'enumeration' | 'index'> & {
  /** A 64-bit primary key that numbers itself and never reuses a number. */
  counter(): IsPrimaryKey<HasDefault<NotNull<KitColumn<number>>>>
}

export const HISTORY_ACTIONS = ['create', 'update', 'delete', 'soft_delete', 'restore'] as const

/** What a write did to a record. */
export type HistoryAction = (typeof HISTORY_ACTIONS)[number]

/** Values of a record in their JSON form, by the names of its columns in the database. */
export type HistoryValues = Readonly<Record<string, unknown>>

/** The history of one table: an entry for each change of a record. It belongs to the application and its migrations. */
export function historyTable<N extends string>(c: HistoryTableKit, name: N) {
  return c.table(
    `${name}_history`,
    {
      /** Grows with each entry of a record, since it is taken while the record is locked. */
      id: c.counter(),
      /** The record's primary key as text. */
      record: c.text().notNull(),
      action: c.enumeration(HISTORY_ACTIONS).notNull(),
      /** The resource's action, such as `bulk_update`; null for a write by code. */
      source: c.text(),
      at: c.timestamp().notNull().$defaultFn(momentOfWrite),
      /** The user's id as text. */
      user: c.text(),
      reason: c.text(),
      requestId: c.text(),
      /** The job that wrote, such as an import. */
      job: c.uuid(),
      /** The rows of an imported file that wrote the record, as a person counts them. */
      rows: c.json().$type<readonly number[] | null>(),
      /** The resource's fixed values, such as the tenant. */
      fixed: c.json().$type<HistoryValues | null>(),
      /** The key of the record's parent as text, if the history has the option `parent`. */
      parent: c.text(),
      /** Columns before the write: all of a deleted record, those that an update has changed. */
      before: c.json().$type<HistoryValues | null>(),
      /** Columns after the write: all of a new record, those that an update has changed. */
      after: c.json().$type<HistoryValues | null>(),
    },
    entry => [
      c.index(entry.record, entry.id),
      c.index(entry.job, entry.id),
      c.index([entry.parent, entry.id], { where: isNotNull(entry.parent) }),
    ],
  )
}

/** The table of a model's history. */
export type HistoryTable<N extends string = string> = ReturnType<typeof historyTable<N>>

type Camel<N extends string> = N extends `${infer A}_${infer B}` ? `${A}${Capitalize<Camel<B>>}` : N

/** What `HistoryTable(articles)` returns: `{ articlesHistory }`. */
export type HistoryTables<N extends string> = { readonly [K in `${Camel<N>}History`]: HistoryTable<N> }
