import { ApiError, Conflict, NON_FIELD_ERRORS, ServiceUnavailable, ValidationError } from '../core/errors.ts'
import type { TableInfo } from '../model/model-info.ts'
import type { Dialect } from './dialect/dialect.ts'

/** What a database error means, in one vocabulary for all databases. */
export interface DatabaseFault {
  readonly kind:
    | 'unique'
    | 'foreignKey'
    | 'restricted'
    | 'notNull'
    | 'check'
    | 'badValue'
    /** The transaction lost against another one and may be run again as a whole. */
    | 'retry'
    | 'unavailable'
  /** Names of the columns concerned, in the database, where the driver tells them. */
  readonly columns?: readonly string[]
  /** Name of the constraint concerned, where the driver tells it. */
  readonly constraint?: string
}

/**
 * The answer a client gets for a fault, naming the fields of `model` where the driver named columns (DESIGN, rule 6).
 *
 * The text is always our own: a driver's message can quote SQL and other people's values.
 */
export function apiErrorOf(fault: DatabaseFault, model: TableInfo | undefined, cause: unknown): ApiError {
  const fields = fieldsOf(fault, model)
  const withFields = (message: string) => Object.fromEntries(fields.map(field => [field, [message]]))
  switch (fault.kind) {
    case 'unique':
      return new Conflict(
        fields.length > 1
          ? { [NON_FIELD_ERRORS]: [`The fields ${fields.join(', ')} must make a unique set.`] }
          : withFields('This field must be unique.'),
        undefined,
        cause,
      )
    case 'foreignKey':
      return new Conflict(withFields('The record that this refers to does not exist.'), undefined, cause)
    case 'restricted':
      return new Conflict(withFields('Other records refer to this one.'), undefined, cause)
    case 'notNull':
      return new ValidationError(withFields('This field may not be null.'))
    case 'check':
    case 'badValue':
      return new ValidationError(withFields('This value is not acceptable.'))
    case 'retry':
    case 'unavailable':
      return new ServiceUnavailable(undefined, undefined, cause)
  }
}

/** The answer to anything thrown, as {@link apiErrorOf}; `undefined` for what is nobody's fault but ours. */
export function toApiError(dialect: Dialect, thrown: unknown): ApiError | undefined {
  if (thrown instanceof ApiError) return thrown
  const fault = dialect.fault(thrown)
  return fault && apiErrorOf(fault, undefined, thrown)
}

function fieldsOf({ columns = [], constraint }: DatabaseFault, model: TableInfo | undefined): readonly string[] {
  const told = columns.flatMap(name => model?.columns.find(column => column.name === name) ?? [])
  const unique = model?.uniques.find(({ name }) => name !== undefined && name === constraint)
  // An index over an expression does not tell all columns by their names, so the constraint has the second word.
  const found = told.length === columns.length && told.length > 0 ? told : (unique?.columns ?? [])
  return found.length > 0 ? found.map(column => column.wire) : [NON_FIELD_ERRORS]
}
