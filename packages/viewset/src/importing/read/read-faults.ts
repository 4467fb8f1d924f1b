import { reportError } from '../../core/context.ts'
import { ApiError, ValidationError } from '../../core/errors.ts'
import { TabularError } from '../../tabular/errors.ts'
import type { SheetColumn } from './sheet-layout.ts'

/** What the functions of an application throw by faults of their own, in one import. */
export class TransformFaults {
  readonly #ids = new Map<string, string>()

  /** The id under which the log has the fault of a column: the first, since the others are most likely the same. */
  idOf(sheet: number, { at, field, plan }: SheetColumn, error: unknown): string {
    // Models that read one field of a flat file have one transform for it.
    const place = plan.own ? `${sheet}:${plan.column.column.name}.${field}` : `${sheet}:${at}:${field}`
    return this.#idOf(place, `the import ${plan.own ? 'function' : 'transform'} of "${field}" failed`, error)
  }

  /** The id of the fault of a row. */
  idOfRow(error: unknown): string {
    return this.#idOf('', 'prepareRow of an import failed', error)
  }

  #idOf(place: string, message: string, error: unknown): string {
    const id = this.#ids.get(place) ?? reportError(error, message)
    this.#ids.set(place, id)
    return id
  }
}

/** The answer to a file that cannot be read; `undefined` if the error has another cause. */
export function unreadableFile(thrown: unknown): ApiError | undefined {
  if (!(thrown instanceof TabularError)) return undefined
  const { code, message } = thrown
  switch (code) {
    case 'too_large':
      return new ApiError(413, 'payload_too_large', message, { cause: thrown })
    case 'wrong_format':
    case 'unreadable':
    case 'encrypted':
    case 'out_of_time':
      return new ValidationError({ file: [message] }, message)
    default:
      return undefined
  }
}
