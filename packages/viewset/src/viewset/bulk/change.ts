import { type FieldErrors, NON_FIELD_ERRORS } from '../../core/errors.ts'
import type { Text } from '../../core/messages/message.ts'
import type { Model } from '../../model/kit.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import { type ModelRecord, recordOf } from '../../records/record.ts'
import { readJsonValue } from '../../serializer/column-schema.ts'
import type { SubmittedItem } from '../../serializer/item.ts'
import { isObject } from '../../serializer/relations/relation-schema.ts'
import type { Database } from '../../store/connection/database.ts'
import type { RawRow } from '../../store/connection/driver.ts'
import { keyIn } from '../../store/row-order.ts'
import type { Values } from '../../store/write/write.ts'

/** A record of a bulk update and its new values. */
export interface BulkChange<R = ModelRecord<Model>, V = Values> {
  readonly record: R
  readonly values: V
}

/** An item of a bulk update. Its record becomes an object on demand. */
export class SubmittedChange implements SubmittedItem, BulkChange {
  readonly input: unknown
  readonly key: unknown
  readonly isLazy = true
  errors: FieldErrors | undefined
  values: Values = {}
  readonly #database: Database
  readonly #model: ModelInfo
  #row: RawRow | undefined
  #record: ModelRecord<Model> | undefined

  constructor(database: Database, model: ModelInfo, input: unknown, key: unknown, errors?: FieldErrors) {
    this.#database = database
    this.#model = model
    this.input = input
    this.key = key
    this.errors = errors
  }

  static byId(database: Database, model: ModelInfo, input: unknown): SubmittedChange {
    // An item that is no object gets one error for the whole item, so none for its id.
    if (!isObject(input)) return new SubmittedChange(database, model, input, undefined, {})
    const errors: FieldErrors = {}
    const parts = model.key.map(column => {
      const { wire } = column
      const read = readJsonValue(column, Object.hasOwn(input, wire) ? input[wire] : undefined)
      if ('value' in read) return read.value
      errors[wire] = read.errors
      return undefined
    })
    if (Object.keys(errors).length > 0) return new SubmittedChange(database, model, input, undefined, errors)
    return new SubmittedChange(database, model, input, parts.length === 1 ? parts[0] : parts)
  }

  get record(): ModelRecord<Model> {
    if (!this.#row) throw new Error('This item of a bulk update has no record.')
    this.#record ??= recordOf(this.#database, this.#model, this.#row)
    return this.#record
  }

  found(row: RawRow): void {
    this.#row = row
  }

  refuse(text: Text): void {
    const [only, ...others] = this.#model.key
    this.errors = { [only && others.length === 0 ? only.wire : NON_FIELD_ERRORS]: [text] }
  }
}

/** The primary key of a change, also of one that an override has made. */
export function keyOfChange(model: ModelInfo, change: BulkChange): unknown {
  return change instanceof SubmittedChange ? change.key : keyIn(model, change.record as Values)
}
