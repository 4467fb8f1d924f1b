import { type DatabaseFault, driverError } from './fault.ts'

/** `raise exception` of a trigger. */
const RAISED = 'P0001'

const FAULTS: Readonly<Record<string, DatabaseFault['kind']>> = {
  '23505': 'unique',
  '23503': 'foreignKey',
  '23001': 'restricted',
  '23502': 'notNull',
  '23514': 'check',
  '23P01': 'check', // exclusion constraint
  [RAISED]: 'check',
  '22001': 'badValue', // string data right truncation
  '22003': 'badValue', // numeric value out of range
  '22007': 'badValue', // invalid datetime format
  '22008': 'badValue', // datetime field overflow
  '22021': 'badValue', // character not in repertoire: NUL
  '22P02': 'badValue', // invalid text representation
  '22P05': 'badValue', // untranslatable character
  '40001': 'retry', // serialization failure
  '40P01': 'retry', // deadlock
  '40003': 'unavailable', // the outcome is unknown: CockroachDB
  '25006': 'unavailable', // read-only: a standby after a failover
  '25P03': 'unavailable', // idle in a transaction for too long
  '25P04': 'unavailable', // transaction timeout
  '53100': 'unavailable', // disk full
  '53200': 'unavailable', // out of memory
  '53300': 'unavailable', // too many connections
  '53400': 'unavailable', // configuration limit exceeded, such as temp_file_limit
  '55P03': 'unavailable', // lock not available
  '57014': 'unavailable', // statement timeout
  '57P01': 'unavailable', // shutting down, or the backend was terminated
  '57P02': 'unavailable',
  '57P03': 'unavailable', // starting up
  '57P05': 'unavailable', // idle session timeout
  '58030': 'unavailable', // input/output error
}

const CONNECTION_ERRORS = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
])

/** Messages of pg if a pool times out or is closed, or if a connection ends during a query. */
const WITHOUT_CODE =
  /timeout exceeded when trying to connect|after calling end on the pool|Connection terminated|not queryable/

export function pgFault(thrown: unknown): DatabaseFault | undefined {
  const error = driverError(thrown)
  if (!error) return undefined
  const { code, column, constraint, detail } = error as Error &
    Partial<Record<'code' | 'column' | 'constraint' | 'detail', string>>
  if (code === undefined) return WITHOUT_CODE.test(error.message) ? { kind: 'unavailable' } : undefined
  if (CONNECTION_ERRORS.has(code) || code.startsWith('08')) return { kind: 'unavailable' }
  if (isOutdated(error)) return { kind: 'retry' }
  let kind = FAULTS[code]
  if (!kind) return undefined
  if (kind === 'foreignKey' && detail?.includes('is still referenced')) kind = 'restricted'
  const columns = column ? [column] : keyColumns(kind === 'restricted' ? undefined : detail)
  const unreadable = kind === 'badValue' ? unreadableValue(error.message) : undefined
  return {
    kind,
    ...(columns && { columns }),
    ...(constraint !== undefined && { constraint }),
    ...(code === RAISED && { raised: error.message }),
    ...(unreadable && { unreadable }),
  }
}

/** Whether a prepared statement is outdated because its table changed. Sending it again prepares it anew. */
export function isOutdated(error: unknown): boolean {
  const { code, routine } = error as { readonly code?: unknown; readonly routine?: unknown }
  // The same code stands for everything that the server cannot do.
  return code === '0A000' && routine === 'RevalidateCachedQuery'
}

/** Whether the server cannot run a statement on this table: a table with rules, or a distributed one. */
export function isUnsupported(thrown: unknown): boolean {
  const error = driverError(thrown)
  return (error as { readonly code?: unknown } | undefined)?.code === '0A000'
}

/**
 * The value in `invalid input syntax for type inet: "x"`, `invalid input value for enum mood: "x"`, `invalid cidr value:
 * "x"` or `date/time field value out of range: "x"`.
 */
function unreadableValue(message: string): DatabaseFault['unreadable'] {
  const text = /: "(.*)"$/s.exec(message)?.[1]
  const type = /^invalid (?:input (?:syntax for type|value for enum) )?(\w+)/.exec(message)?.[1]
  return text === undefined ? undefined : { text, type }
}

/** The column names in `Key (country_id, code)=(...) already exists.` */
function keyColumns(detail: string | undefined): readonly string[] | undefined {
  const names = detail === undefined ? undefined : /^Key \(([^)]*)\)=/.exec(detail)?.[1]
  return names?.split(', ').map(name => name.replace(/^"|"$/g, ''))
}
