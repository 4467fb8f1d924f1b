import type { Dialect } from '../../model/dialect/dialect.ts'
import type { ObservedExecutor, Reader } from './driver.ts'
import { ObservedConnection } from './observed-connection.ts'

/** The reads of a request: from a replica until the request writes. */
export class Reads {
  #source: { readonly reader: Reader; readonly executor: ObservedExecutor } | undefined

  constructor(dialect: Dialect, reader: Reader) {
    this.#source = { reader, executor: new ObservedConnection(dialect, reader) }
  }

  get executor(): ObservedExecutor | undefined {
    return this.#source?.executor
  }

  get reader(): Reader | undefined {
    return this.#source?.reader
  }

  /** Switches to the primary: replicas get the request's writes later. */
  leave(): void {
    this.#source = undefined
  }

  leaving(executor: ObservedExecutor): ObservedExecutor {
    return {
      run: (statement, values) => {
        this.leave()
        return executor.run(statement, values)
      },
      observe: (statement, send, rowsOf) => {
        this.leave()
        return executor.observe(statement, send, rowsOf)
      },
    }
  }
}
