import type { Dialect } from '../../model/dialect/dialect.ts'
import type { ObservedExecutor, Reader } from './driver.ts'
import { ObservedConnection } from './observed-connection.ts'

/** Where a request reads: copies of the database, until it writes something. */
export class Reads {
  #source: { readonly reader: Reader; readonly executor: ObservedExecutor } | undefined

  constructor(dialect: Dialect, reader: Reader) {
    this.#source = { reader, executor: new ObservedConnection(dialect, reader) }
  }

  /** What statements go through; `undefined` once the request has written. */
  get executor(): ObservedExecutor | undefined {
    return this.#source?.executor
  }

  /** What streams are read from; `undefined` once the request has written. */
  get reader(): Reader | undefined {
    return this.#source?.reader
  }

  /** From now on the database itself is asked: copies get what the request writes a moment later. */
  leave(): void {
    this.#source = undefined
  }

  /** The same executor, whose statements nobody here can tell reads from writes. */
  leaving(executor: ObservedExecutor): ObservedExecutor {
    return {
      run: (statement, values) => {
        this.leave()
        return executor.run(statement, values)
      },
      tell: (statement, send, rowsOf) => {
        this.leave()
        return executor.tell(statement, send, rowsOf)
      },
    }
  }
}
