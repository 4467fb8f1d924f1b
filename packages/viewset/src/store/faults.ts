import { currentUser } from '../core/context.ts'
import { type ApiError, Conflict, NON_FIELD_ERRORS, ServiceUnavailable, ValidationError } from '../core/errors.ts'
import { message, type Text } from '../core/messages/message.ts'
import type { Dialect } from '../model/dialect/dialect.ts'
import { apiErrorIn, type DatabaseFault } from '../model/dialect/fault.ts'
import { AUDIT_FIELDS, type ColumnInfo, type TableInfo } from '../model/model-info.ts'
import { namedColumns } from '../model/unnamed-columns.ts'
import type { Database } from './connection/database.ts'
import type { Values } from './write/write.ts'

/**
 * The client's error for a fault, with the fields of `model` if the driver reports columns. `rows` are the written
 * rows.
 *
 * The text is always our own: a driver's message can quote SQL and other people's values.
 */
export function apiErrorOf(
  fault: DatabaseFault,
  model: TableInfo | undefined,
  cause: unknown,
  rows: readonly Values[] = [],
): ApiError {
  const refusal = model?.refusals.get(fault.constraint ?? fault.raised ?? '')
  if (refusal) {
    const { column, text } = refusal
    return new ValidationError({ [column?.wire ?? NON_FIELD_ERRORS]: [text] })
  }
  const columns = model ? columnsOf(fault, model, rows) : []
  const named = namedColumns(columns)
  const fields = named.length > 0 ? named.map(({ wire }) => wire) : [NON_FIELD_ERRORS]
  const withFields = (text: Text) => Object.fromEntries(fields.map(field => [field, [text]]))
  switch (fault.kind) {
    case 'unique':
      return new Conflict(
        fields.length > 1
          ? { [NON_FIELD_ERRORS]: [message('unique.together', { fields: fields.join(', ') })] }
          : withFields(message('unique')),
        undefined,
        { cause },
      )
    case 'foreignKey':
      return new Conflict(
        withFields(message(isOfTheUser(columns, rows) ? 'does_not_exist.user' : 'does_not_exist.referred')),
        undefined,
        { cause },
      )
    case 'restricted':
      return new Conflict(withFields(message('restricted')), undefined, { cause })
    case 'notNull':
      return new ValidationError(withFields(message('null')))
    case 'check':
    case 'badValue':
      return new ValidationError(
        fields.length > 1 ? message('invalid.together', { fields: fields.join(', ') }) : withFields(message('invalid')),
      )
    case 'retry':
      return new ServiceUnavailable(message('service_unavailable.busy'), undefined, cause)
    case 'unavailable':
      return new ServiceUnavailable(undefined, undefined, cause)
  }
}

/** Whether a foreign key is only filled automatically with the current user. */
function isOfTheUser(columns: readonly ColumnInfo[], rows: readonly Values[]): boolean {
  const isFilled = ({ key }: ColumnInfo) => AUDIT_FIELDS.has(key) && rows.every(row => row[key] === undefined)
  return columns.length > 0 && columns.every(isFilled) && currentUser() !== null
}

/**
 * The client's error for anything thrown, as {@link apiErrorOf}; `undefined` for an error of Viewset or the
 * application.
 */
export function toApiError(dialect: Dialect, thrown: unknown): ApiError | undefined {
  const known = apiErrorIn(thrown)
  if (known) return known
  const fault = dialect.fault(thrown)
  return fault && apiErrorOf(fault, undefined, thrown)
}

/** A column that needs a value, and that no code gave one: a mistake of the application, which no client can mend. */
export class ForgottenValue extends Error {
  override readonly name = 'ForgottenValue'

  constructor(table: TableInfo, { key }: ColumnInfo, cause: unknown) {
    super(`The write gives ${table.name} no ${key}, which has no default: fill it in the hook that creates.`, { cause })
  }
}

/** The first column that a fault rejects because no row to be created has a value of it. */
export function forgottenValue(
  fault: DatabaseFault,
  table: TableInfo,
  rows: readonly Values[],
  cause: unknown,
): ForgottenValue | undefined {
  if (fault.kind !== 'notNull') return undefined
  const forgotten = columnsOf(fault, table).find(
    ({ key, createValue }) => !createValue && rows.some(row => row[key] === undefined),
  )
  return forgotten && new ForgottenValue(table, forgotten, cause)
}

/**
 * The columns of a fault, as far as the database reports them: by name, by constraint, or by the rejected value. A
 * value is searched in the written rows.
 */
export function columnsOf(fault: DatabaseFault, table: TableInfo, rows: readonly Values[] = []): readonly ColumnInfo[] {
  const { columns = [], constraint } = fault
  const reported = columns.flatMap(name => table.columns.find(column => column.name === name) ?? [])
  // An index over an expression reports only some columns by name. The constraint names all of them.
  if (reported.length === columns.length && reported.length > 0) return reported
  if (constraint !== undefined) return table.constraints.get(constraint) ?? namedIn(constraint, table)
  return fault.unreadable ? holdersOf(fault.unreadable, table, rows) : []
}

/**
 * For a constraint outside of the schema. PostgreSQL's default names contain the table and column; SQLite reports an
 * expression.
 */
function namedIn(constraint: string, { name: table, columns }: TableInfo): readonly ColumnInfo[] {
  const only = columns.find(({ name }) => constraint.replace(/_check\d*$/, '') === `${table}_${name}`)
  if (only) return [only]
  const words = new Set(constraint.replace(/'[^']*'/g, '').match(/\w+/g))
  // A single word is a name rather than an expression.
  return words.size > 1 ? columns.filter(({ name }) => words.has(name)) : []
}

/** Of several columns, the one whose type rejects the value. */
function holdersOf(
  { text, type }: NonNullable<DatabaseFault['unreadable']>,
  { columns }: TableInfo,
  rows: readonly Values[],
): readonly ColumnInfo[] {
  const isOfType = ({ sqlType }: ColumnInfo) => sqlType.replace(/[("[ ].*|^"/g, '') === type
  const given = columns.filter(({ key }) => rows.some(row => row[key] !== undefined && row[key] !== null))
  const holders = given.filter(({ key }) => rows.some(row => [row[key]].flat(9).some(value => String(value) === text)))
  const narrowed = [holders, holders.filter(isOfType), given.filter(isOfType)]
  return narrowed.find(candidates => candidates.length === 1) ?? []
}

export async function findMissingTables(
  { driver }: Database,
  tables: readonly TableInfo[],
): Promise<readonly TableInfo[]> {
  const asked = JSON.stringify(tables.map(({ schema = null, name }) => ({ schema, name })))
  const { rows } = await driver.run({ text: driver.dialect.findMissingTables }, [asked])
  return rows.map(([position]) => tables[Number(position)] as TableInfo)
}

/** The log message for a missing table, usually because migrations were not run. */
export function missingTable({ schema, name }: Pick<TableInfo, 'schema' | 'name'>): string {
  return `table ${schema === undefined ? name : `${schema}.${name}`} does not exist: run your migrations`
}

/** The log message for an error: `otherwise`, unless a table is missing. */
export function failureOf(dialect: Dialect, thrown: unknown, otherwise: string): string {
  const missing = dialect.missingTable(thrown)
  return missing === undefined ? otherwise : missingTable({ schema: undefined, name: missing })
}
