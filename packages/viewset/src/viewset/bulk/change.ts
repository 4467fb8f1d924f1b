import type { FieldErrors } from '../../core/errors.ts'
import type { Text } from '../../core/messages/message.ts'
import type { Model } from '../../model/kit.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import { type ModelRecord, recordOf } from '../../records/record.ts'
import { readJsonValue } from '../../serializer/column-schema.ts'
import type { SubmittedItem } from '../../serializer/item.ts'
import { isObject } from '../../serializer/relations/relation-schema.ts'
import type { Database } from '../../store/connection/database.ts'
import type { RawRow } from '../../store/connection/driver.ts'
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
    const { primaryKey } = model
    // An item that is no object gets one error for the whole item, so none for its id.
    if (!isObject(input)) return new SubmittedChange(database, model, input, undefined, {})
    const id = Object.hasOwn(input, primaryKey.wire) ? input[primaryKey.wire] : undefined
    const read = readJsonValue(primaryKey, id)
    if ('value' in read) return new SubmittedChange(database, model, input, read.value)
    return new SubmittedChange(database, model, input, undefined, { [primaryKey.wire]: read.errors })
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
    this.errors = { [this.#model.primaryKey.wire]: [text] }
  }
}

/** The primary key of a change, also of one that an override has made. */
export function keyOfChange({ primaryKey }: ModelInfo, change: BulkChange): unknown {
  return change instanceof SubmittedChange ? change.key : (change.record as Values)[primaryKey.key]
}
