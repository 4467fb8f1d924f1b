import type { Model, ModelRow } from '../model/kit.ts'
import type { ModelInfo } from '../model/model-info.ts'
import type { Database } from '../store/connection/database.ts'
import type { RawRow } from '../store/connection/driver.ts'
import { ownProjection } from '../store/projection.ts'
import { QuerySet } from '../store/queryset.ts'
import { inOrder, keyPlace } from '../store/row-order.ts'
import { decodeRow } from '../store/row-set.ts'
import { keyOf, type ModelRecord, recordOf, storedRow } from './record.ts'

/**
 * The records of a set-wise write, in the order of the request. Their objects are made on demand.
 *
 * @example
 * override async performBulkCreate(values: Input<typeof VisitSerializer>[]) {
 *   const created = await super.performBulkCreate(values)
 *   for (const visit of await created.records()) onCommit(() => announce(visit))
 *   return created
 * }
 */
export class RecordList<M extends Model = Model> {
  readonly keys: readonly unknown[]
  readonly #database: Database
  readonly #model: ModelInfo
  #rows: readonly RawRow[] | undefined

  /** @internal `rows` hold all of the model's columns, in the order of `keys`. */
  constructor(database: Database, model: ModelInfo, keys: readonly unknown[], rows?: readonly RawRow[]) {
    this.#database = database
    this.#model = model
    this.keys = keys
    this.#rows = rows
  }

  get length(): number {
    return this.keys.length
  }

  /** The records as objects. One statement reads them if they are not in memory. */
  async records(): Promise<ModelRecord<M>[]> {
    return (await this.rows()).map(row => recordOf<M>(this.#database, this.#model, row))
  }

  /** The records whose fields meet `test`. */
  async filter(test: (fields: Readonly<ModelRow<M>>) => boolean): Promise<RecordList<M>> {
    const rows = await this.rows()
    const kept = rows.map(row => test(decodeRow(this.#database.dialect, this.#model, row) as ModelRow<M>))
    const isKept = (_: unknown, i: number) => kept[i] === true
    return new RecordList(this.#database, this.#model, this.keys.filter(isKept), rows.filter(isKept))
  }

  /** @internal */
  async rows(): Promise<readonly RawRow[]> {
    if (!this.#rows) {
      const { columns } = this.#model
      const rows = await new QuerySet(this.#database, this.#model).withKeys(ownProjection(this.#model), this.keys)
      this.#rows = inOrder(this.#database, this.#model, rows, keyPlace(this.#model, columns), this.keys)
    }
    return this.#rows
  }

  /** @internal The list of records that were written one by one. */
  static of(database: Database, model: ModelInfo, records: readonly object[]): RecordList {
    return new RecordList(database, model, records.map(keyOf), records.map(storedRow))
  }
}
