import { currentUser } from '../core/context.ts'
import { ApiError, Conflict, NON_FIELD_ERRORS, ServiceUnavailable, ValidationError } from '../core/errors.ts'
import type { Dialect } from '../model/dialect/dialect.ts'
import type { DatabaseFault } from '../model/dialect/fault.ts'
import { AUDIT_FIELDS, type ColumnInfo, type TableInfo } from '../model/model-info.ts'
import { columnsOf } from './fault-columns.ts'
import type { Values } from './write.ts'

/**
 * The answer a client gets for a fault, naming the fields of `model` where the driver tells columns (DESIGN, rule 6).
 * `rows` are what was written.
 *
 * The text is always our own: a driver's message can quote SQL and other people's values.
 */
export function apiErrorOf(
  fault: DatabaseFault,
  model: TableInfo | undefined,
  cause: unknown,
  rows: readonly Values[] = [],
): ApiError {
  const columns = model ? columnsOf(fault, model, rows) : []
  const fields = columns.length > 0 ? columns.map(({ wire }) => wire) : [NON_FIELD_ERRORS]
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
      return new Conflict(
        withFields(isOfTheUser(columns, rows) ? UNKNOWN_USER : 'The record that this refers to does not exist.'),
        undefined,
        cause,
      )
    case 'restricted':
      return new Conflict(withFields('Other records refer to this one.'), undefined, cause)
    case 'notNull':
      return new ValidationError(withFields('This field may not be null.'))
    case 'check':
    case 'badValue':
      return new ValidationError(
        fields.length > 1
          ? `The fields ${fields.join(', ')} are not acceptable together.`
          : withFields('This value is not acceptable.'),
      )
    case 'retry':
    case 'unavailable':
      return new ServiceUnavailable(undefined, undefined, cause)
  }
}

const UNKNOWN_USER = 'You are signed in as a user who is not stored here, so nothing can be recorded as done by you.'

/** Whether a foreign key is one that is filled with the user who asks, and that nobody else has filled. */
function isOfTheUser(columns: readonly ColumnInfo[], rows: readonly Values[]): boolean {
  const isFilled = ({ key }: ColumnInfo) => AUDIT_FIELDS.has(key) && rows.every(row => row[key] === undefined)
  return columns.length > 0 && columns.every(isFilled) && currentUser() !== null
}

/** The answer to anything thrown, as {@link apiErrorOf}; `undefined` for what is nobody's fault but ours. */
export function toApiError(dialect: Dialect, thrown: unknown): ApiError | undefined {
  if (thrown instanceof ApiError) return thrown
  const fault = dialect.fault(thrown)
  return fault && apiErrorOf(fault, undefined, thrown)
}
