import { errorsByField, errorsOf, errorsUnder, type FieldErrors, ValidationError } from '../../core/errors.ts'
import type { Text } from '../../core/messages/message.ts'

/** The refusal of written rows by a listener. Each row has a position in its write. */
class RefusedRows extends ValidationError {
  readonly #errors: ReadonlyMap<number, FieldErrors>

  constructor(errors: ReadonlyMap<number, FieldErrors>, isOne: boolean) {
    super(joined(errors, isOne ? undefined : String))
    this.#errors = errors
  }

  /** The same refusal of rows that stand at paths of the request. */
  at(place: (index: number) => string | undefined): ValidationError {
    return new ValidationError(joined(this.#errors, place))
  }
}

function joined(
  errors: ReadonlyMap<number, FieldErrors>,
  place: ((index: number) => string | undefined) | undefined,
): FieldErrors {
  return errorsByField(
    [...errors].flatMap(([index, ofRow]) => {
      const path = place?.(index)
      return Object.entries(path === undefined ? ofRow : errorsUnder(path, ofRow))
    }),
  )
}

/** Collects the refusals of the listeners of one write. */
export class Refusals {
  readonly #rows: readonly object[]
  readonly #before: readonly object[]
  /** The position of each row, also as it was; made for the first refusal. */
  #positions: ReadonlyMap<object, number> | undefined
  readonly #errors = new Map<number, FieldErrors>()

  /** @param before the same rows as they were, in the same order */
  constructor(rows: readonly object[], before: readonly object[] = []) {
    this.#rows = rows
    this.#before = before
  }

  readonly refuse = (row: object, problem: FieldErrors | Text): void => {
    this.#positions ??= new Map([...this.#before.entries(), ...this.#rows.entries()].map(([at, one]) => [one, at]))
    const index = this.#positions.get(row)
    if (index === undefined) throw new TypeError('postWrite: refuse takes a row of the same event.')
    const known = Object.entries(this.#errors.get(index) ?? {})
    this.#errors.set(index, errorsByField([...known, ...Object.entries(errorsOf(problem))]))
  }

  /** @throws RefusedRows if a row was refused */
  check(): void {
    if (this.#errors.size > 0) throw new RefusedRows(this.#errors, this.#rows.length === 1)
  }
}

/** Runs a write and names refused rows by their places in the request. */
export async function placed<T>(
  place: ((index: number) => string | undefined) | undefined,
  write: () => Promise<T>,
): Promise<T> {
  if (!place) return write()
  try {
    return await write()
  } catch (error) {
    throw error instanceof RefusedRows ? error.at(place) : error
  }
}
