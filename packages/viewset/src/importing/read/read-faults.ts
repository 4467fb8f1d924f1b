import { reportError } from '../../core/context.ts'
import { ApiError, ValidationError } from '../../core/errors.ts'
import { TabularError } from '../../tabular/errors.ts'
import type { SheetColumn } from './sheet-layout.ts'

/** Logs each place of an import once. */
export class TransformFaults {
  readonly #ids = new Map<string, string>()

  /** Later errors of a column get the log id of the first one: most likely, they have the same cause. */
  idOf(sheet: number, { at, field, plan }: SheetColumn, error: unknown): string {
    // Models that read the same field of a flat file share its transform.
    const place = plan.appValue ? `${sheet}:${plan.column.column.name}.${field}` : `${sheet}:${at}:${field}`
    return this.#idOf(place, `the import ${plan.appValue ? 'function' : 'transform'} of "${field}" failed`, error)
  }

  idOfRow(error: unknown): string {
    return this.#idOf('', 'prepareRow of an import failed', error)
  }

  #idOf(place: string, message: string, error: unknown): string {
    const id = this.#ids.get(place) ?? reportError(error, message)
    this.#ids.set(place, id)
    return id
  }
}

export function unreadableFile(thrown: unknown): ApiError | undefined {
  if (!(thrown instanceof TabularError)) return undefined
  const { code, text } = thrown
  switch (code) {
    case 'too_large':
      return new ApiError(413, 'payload_too_large', text, { cause: thrown })
    case 'wrong_format':
    case 'unreadable':
    case 'encrypted':
    case 'out_of_time':
      return new ValidationError({ file: [text] })
    default:
      return undefined
  }
}
