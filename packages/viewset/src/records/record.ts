import type { Table } from 'drizzle-orm'
import { momentOfWrite } from '../core/clock.ts'
import { ConfigError, NotFound } from '../core/errors.ts'
import type { Renamed } from '../core/wire-names.ts'
import { has, kindOf } from '../kinds/kinds.ts'
import { kindValue } from '../model/column-kind.ts'
import type { Model, ModelRow, SoftDeletable } from '../model/kit.ts'
import { AUDIT_FIELDS, type ModelInfo, modelInfo, SOFT_DELETE_FIELDS } from '../model/model-info.ts'
import { signals } from '../model/signals.ts'
import type { WireRow } from '../model/wire-row.ts'
import type { Database } from '../store/connection/database.ts'
import type { RawRow } from '../store/connection/driver.ts'
import { inTransaction } from '../store/connection/session.ts'
import { decodeRow } from '../store/row-set.ts'
import { executeWrite } from '../store/write/execute-write.ts'
import type { Values } from '../store/write/write.ts'

/** Which fields `getJson` returns. */
export interface GetJsonOptions<M extends Model> {
  /** The fields to show. Default: all. */
  readonly fields?: readonly Extract<keyof ModelRow<M>, string>[]
  /** Fields to leave out. */
  readonly excludeFields?: readonly Extract<keyof ModelRow<M>, string>[]
  /** Leaves out `created_at`, `updated_at`, `created_by` and `updated_by`. */
  readonly excludeAudit?: boolean
}

/** The methods of every record. */
export interface RecordMethods<M extends Model> {
  /** The record's own fields, with their wire names and values. */
  getJson(options?: GetJsonOptions<M>): Partial<Renamed<WireRow<M>>>
  /** Writes the fields that have changed since the record was read. */
  save(): Promise<this>
  /** Removes the row. */
  delete(): Promise<void>
}

/** The further methods of a record whose model has `SoftDeleteMixin`. */
export interface SoftDeleteMethods {
  /** Whether the record is marked as deleted. */
  readonly isDeleted: boolean
  /** Marks the record as deleted: `isActive` false, `deletedAt` now. A deleted record stays as it is. */
  softDelete(): Promise<this>
  /** Undoes a soft delete. */
  restore(): Promise<this>
}

/** A stored row of a model as an object: its fields, and methods that write it back. */
export type ModelRecord<M extends Model> = ModelRow<M> &
  RecordMethods<M> &
  (M extends SoftDeletable ? SoftDeleteMethods : unknown)

type Fields = Record<string, unknown>

class StoredRecord {
  readonly #database: Database
  readonly #model: ModelInfo
  #stored: Values = {}
  #row: RawRow = []

  constructor(database: Database, model: ModelInfo, row: RawRow) {
    this.#database = database
    this.#model = model
    this.#load(row)
  }

  static isOf(model: ModelInfo, value: unknown): boolean {
    return value instanceof StoredRecord && value.#model === model
  }

  /** {@link StoredRecord.#load} assigns the fields. TypeScript does not know their names. */
  get #fields(): Fields {
    return this as unknown as Fields
  }

  getJson({ fields, excludeFields = [], excludeAudit = false }: GetJsonOptions<Table> = {}): Fields {
    const json: Fields = {}
    for (const column of this.#model.columns) {
      const { key, wire } = column
      if (fields ? !fields.includes(key) : false) continue
      if (excludeFields.includes(key) || (excludeAudit && AUDIT_FIELDS.has(key))) continue
      const held = this.#fields[key]
      const value = held === null ? null : kindValue(column, held)
      json[wire] = typeof value === 'bigint' ? jsonInteger(value) : value
    }
    return json
  }

  async save(): Promise<this> {
    return this.#update(Object.fromEntries(this.#changes()))
  }

  static async write<R extends object>(record: R, values: Values): Promise<R> {
    const stored = StoredRecord.#of(record)
    // Inputs of a serializer are no fields of the record.
    const own = Object.entries(values).filter(([key]) => stored.#model.byKey.has(key))
    Object.assign(record, Object.fromEntries(own))
    await stored.#update({ ...Object.fromEntries(stored.#changes()), ...values })
    return record
  }

  async delete(): Promise<void> {
    await atomic(this.#database, this.#model, ['preDelete', 'postDelete'], async () => {
      const { table } = this.#model
      await signals.preDelete.send(table, { record: this })
      const plan = { kind: 'delete', model: this.#model, rows: [{ key: this.#key }] } as const
      if ((await executeWrite(this.#database, plan)).changes === 0) throw new NotFound()
      await signals.postDelete.send(table, { record: this })
    })
  }

  get isDeleted(): boolean {
    return this.#fields.isActive === false
  }

  /** A column of this name holds its own value. */
  set isDeleted(value: unknown) {
    Object.defineProperty(this, 'isDeleted', { value, configurable: true, enumerable: true, writable: true })
  }

  async softDelete(): Promise<this> {
    this.#requireSoftDelete('softDelete')
    if (this.#fields.isActive === false) return this
    return this.#update({ isActive: false, deletedAt: momentOfWrite() })
  }

  async restore(): Promise<this> {
    this.#requireSoftDelete('restore')
    return this.#update({ isActive: true, deletedAt: null })
  }

  /** The value of the primary key; a tuple if it has several columns. */
  get #key(): unknown {
    const { key } = this.#model
    const [only, ...others] = key
    if (!only) throw new TypeError(`A row of "${this.#model.name}" has no key, so it cannot be written.`)
    return others.length === 0 ? this.#stored[only.key] : key.map(part => this.#stored[part.key])
  }

  async #update(given: Values): Promise<this> {
    return atomic(this.#database, this.#model, ['preSave', 'postSave'], async () => {
      const values = { ...given }
      const { table } = this.#model
      // Without a listener, the write needs no `await` between the check and the statement.
      if (signals.preSave.isHeard(table)) {
        const record = Object.freeze({ ...this.#stored })
        await signals.preSave.send(table, { created: false, record, values })
      }
      const {
        rows: [row],
      } = await executeWrite(this.#database, {
        kind: 'update',
        model: this.#model,
        rows: [{ key: this.#key, values }],
        returning: 'rows',
        before: this.#row,
      })
      // Deleted since it was read.
      if (!row) throw new NotFound()
      this.#load(row)
      await signals.postSave.send(table, { created: false, record: this })
      return this
    })
  }

  /** A value that is an object can have changed inside. */
  #changes(): [string, unknown][] {
    const { dialect } = this.#database
    return this.#model.columns.flatMap((column, index) => {
      const { key } = column
      const value = this.#fields[key]
      const raw = this.#row[index]
      const isMutable = raw !== null && has(column, 'mutable')
      const stored = isMutable ? dialect.decoder(column)(raw) : this.#stored[key]
      return kindOf(column).isSame(value, stored) ? [] : [[key, value] as [string, unknown]]
    })
  }

  #load(row: RawRow): void {
    this.#row = row
    this.#stored = decodeRow(this.#database.dialect, this.#model, row)
    Object.assign(this, this.#stored)
  }

  static rowOf(record: unknown): RawRow {
    return StoredRecord.#of(record).#row
  }

  static keyOf(record: unknown): unknown {
    return StoredRecord.#of(record).#key
  }

  static async softDelete(record: object): Promise<void> {
    await StoredRecord.#of(record).softDelete()
  }

  static async restore<R extends object>(record: R): Promise<R> {
    await StoredRecord.#of(record).restore()
    return record
  }

  static databaseOf(record: object): Database {
    return StoredRecord.#of(record).#database
  }

  static #of(record: unknown): StoredRecord {
    if (typeof record === 'object' && record !== null && #row in record) return record
    throw new TypeError('This is no record. Does performCreate or performUpdate return the one that it has written?')
  }

  #requireSoftDelete(method: string): void {
    if (!this.#model.softDeletable) {
      throw new ConfigError(
        this.#model.name,
        method,
        `the model lacks ${[...SOFT_DELETE_FIELDS].join(' and ')}; add SoftDeleteMixin()`,
      )
    }
  }
}

function jsonInteger(value: bigint): number | string {
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
}

export function recordOf<M extends Model>(database: Database, model: ModelInfo, row: RawRow): ModelRecord<M> {
  // The fields come from the row and their types from the model, so TypeScript cannot check this.
  return new StoredRecord(database, model, row) as unknown as ModelRecord<M>
}

export function isRecordOf<M extends Model>(model: M, value: unknown): value is ModelRecord<M> {
  return StoredRecord.isOf(modelInfo(model), value)
}

export function keyOf(record: object): unknown {
  return StoredRecord.keyOf(record)
}

export function storedRow(record: object): RawRow {
  return StoredRecord.rowOf(record)
}

export function saveValues<R extends object>(record: R, values: Values): Promise<R> {
  return StoredRecord.write(record, values)
}

/** For code that knows only at run time that the model has a soft delete. */
export function softDeleteRecord(record: object): Promise<void> {
  return StoredRecord.softDelete(record)
}

/** Like {@link softDeleteRecord}. */
export function restoreRecord<R extends object>(record: R): Promise<R> {
  return StoredRecord.restore(record)
}

export function databaseOf(record: object): Database {
  return StoredRecord.databaseOf(record)
}

/** @internal Runs a write and its signals in a transaction. Without a listener, one statement needs none. */
export function atomic<T>(
  database: Database,
  { table }: ModelInfo,
  names: readonly (keyof typeof signals)[],
  write: () => Promise<T>,
): Promise<T> {
  const isHeard = names.some(name => signals[name].isHeard(table))
  return isHeard ? inTransaction(database, write) : write()
}
