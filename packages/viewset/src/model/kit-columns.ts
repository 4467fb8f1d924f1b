import { ConfigError } from '../core/errors.ts'
import { refuseUnknown } from '../core/setting-rules.ts'
import { suggestion } from '../core/suggestion.ts'
import type { KindName, ValueInfo } from '../kinds/kind.ts'
import { has } from '../kinds/kinds.ts'
import type { Dialect } from './dialect/dialect.ts'
import { notedKind, noteKind } from './drizzle-columns.ts'
import { COLLATIONS, type Collation, type TextOptions } from './kit.ts'
import { jsonLiteral, withLiteralDefault } from './literal-default.ts'

/** A dialect's own column builders, under the names of the kit. */
export interface ColumnBuilders {
  text(length?: number, collation?: Collation): object
  integer(): object
  bigint(): object
  decimal(precision: number, scale: number): object
  boolean(): object
  timestamp(): object
  date(): object
  uuid(): object
  json(): object
  enumeration(values: readonly [string, ...string[]]): object
  float(): object
  time(): object
  /** A list of what a column under construction holds. */
  array(of: object): object
  binary(): object
  /** What stands in SQL for a list and for bytes, as the text that the database reads. */
  readonly literals: { array(items: readonly unknown[]): string; bytes(bytes: Uint8Array): string }
}

/** Text columns with an order of their own. */
const collated = new WeakSet<object>()

/** What stands behind text columns where letters are to have their other case. */
const letterCases = new WeakMap<object, string>()

/** What stands behind a text column under construction where letters are to have their other case. */
export function letterCaseOf(builder: object | undefined): string {
  return (builder && letterCases.get(builder)) ?? ''
}

/** The columns of a kit: what a dialect's builders make, with a note of what they hold. */
export function kitColumns(dialect: Dialect, own: ColumnBuilders) {
  const noted = (builder: object, kind: KindName, limits: Partial<ValueInfo> = {}) =>
    noteKind(builder, { kind, ...limits })
  return {
    text: (first?: number | TextOptions, second: TextOptions = {}) => {
      const [length, options] = typeof first === 'object' ? [undefined, first] : [first, second]
      const collation = collationOf(options)
      const builder = own.text(length, collation)
      const stored = { name: '', kind: 'text', sqlType: 'text', ...(collation && { collation }) } as const
      letterCases.set(builder, dialect.letterCase(stored))
      if (collation) collated.add(builder)
      const { trim, allowBlank } = options
      return noted(builder, 'text', {
        ...(length !== undefined && { length }),
        ...(trim !== undefined && { trim }),
        ...(allowBlank !== undefined && { allowBlank }),
      })
    },
    enumeration: (values: readonly [string, ...string[]]) => noted(own.enumeration(values), 'enumeration', { values }),
    integer: () => noted(own.integer(), 'integer', { bits: 32 }),
    bigint: () => noted(withLiteralDefault(own.bigint(), String), 'bigint', { bits: 64 }),
    decimal: (precision: number, scale: number) => {
      if (scale < 0) throw new ConfigError('decimal', 'scale', `must not be below 0, as ${scale} is`)
      return noted(own.decimal(precision, scale), 'decimal', { precision, scale })
    },
    float: () => noted(own.float(), 'float'),
    boolean: () => noted(own.boolean(), 'boolean'),
    timestamp: () => noted(own.timestamp(), 'timestamp'),
    date: () => noted(own.date(), 'date'),
    time: () => noted(own.time(), 'time'),
    uuid: () => noted(own.uuid(), 'uuid'),
    json: () => noted(withLiteralDefault(own.json(), jsonLiteral), 'json'),
    array: (of: object) => {
      const item = itemOf(of)
      const literal = (items: unknown) => own.literals.array(items as readonly unknown[])
      return noted(withLiteralDefault(own.array(of), literal), 'array', { item })
    },
    binary: (length: number = STANDARD_BYTES) => {
      const literal = (bytes: unknown) => own.literals.bytes(bytes as Uint8Array)
      return noted(withLiteralDefault(own.binary(), literal), 'binary', { length: checkedBytes(length) })
    },
  }
}

/** Bytes of a binary value, where a model says nothing else. */
const STANDARD_BYTES = 1024 * 1024

/** @throws ConfigError */
function checkedBytes(length: number): number {
  if (Number.isSafeInteger(length) && length > 0) return length
  throw new ConfigError('binary', 'length', `must be a whole number of bytes above 0, not ${String(length)}`)
}

/** What the items of an array are. @throws ConfigError for a column that no array can be of. */
function itemOf(builder: object): ValueInfo {
  const info = notedKind(builder)
  if (!info) throw new ConfigError('array', 'of', 'must be a column of the same kit: c.array(c.text())')
  if (!has(info, 'item')) throw new ConfigError('array', 'of', `cannot be of ${info.kind}; use c.json() instead`)
  if (collated.has(builder)) throw new ConfigError('array', 'of', 'cannot be of a text with a collation of its own')
  return info
}

/** @throws ConfigError for an option or an order of text that there is not. */
function collationOf(options: TextOptions): Collation | undefined {
  refuseUnknown('text', 'option', Object.keys(options), ['collation', 'trim', 'allowBlank'])
  const { collation } = options
  if (collation === undefined || COLLATIONS.includes(collation)) return collation
  const problem = `unknown collation "${collation}"${suggestion(String(collation), COLLATIONS)}`
  throw new ConfigError('text', 'collation', problem)
}
