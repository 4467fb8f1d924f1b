import type * as z from 'zod'
import { message, type Text } from '../core/messages/message.ts'
import type { ApiSettings } from '../core/settings.ts'
import type { Cell, TabularKind } from '../tabular/table.ts'
import type { JsonSchema, JsonSchemas } from './json-schema.ts'

/** The built-in kinds, for which each dialect has a codec. A custom kind is stored as one of them. */
export type KindName =
  | 'text'
  | 'enumeration'
  | 'integer'
  | 'bigint'
  | 'decimal'
  | 'float'
  | 'boolean'
  | 'timestamp'
  | 'date'
  | 'time'
  | 'uuid'
  | 'json'
  | 'array'
  | 'binary'
  | 'other'

/** The kind of a column's or an expression's values, and its limits. */
export interface ValueInfo {
  /** How the database stores the values. */
  readonly kind: KindName
  /** The custom kind that the application defined for them; see `kindOf`. */
  readonly ownKind?: Kind
  /** Most characters of a text, or bytes of a binary value. */
  readonly length?: number
  /** Whether blanks around a text that a client sends are removed. Default true. */
  readonly trim?: boolean
  /** Whether a client may send the empty text. Default false. */
  readonly allowBlank?: boolean
  readonly precision?: number
  readonly scale?: number
  readonly values?: readonly string[]
  /** The collation by which SQL compares a text, if the column sets one. */
  readonly collation?: string
  /** Whether a unique index of the column that ignores case takes `ς` for `σ`. */
  readonly foldsSigma?: boolean
  /** Range of an integer. */
  readonly bits?: 16 | 32 | 64
  readonly item?: ValueInfo
  /** The column's name in code, which can suggest an example. */
  readonly key?: string
  readonly sqlType?: string
  /** Whether a database-specific type can hold a value, if that is known. */
  readonly accepts?: ((value: unknown) => boolean) | undefined
}

/** The settings for reading a value. */
export interface ReadContext {
  /** The zone of a datetime without an offset. */
  readonly timeZone: string
}

/** Whether a value is valid for a column and is stored unchanged. */
export type PlainCheck = (value: unknown) => boolean

/** Properties that several kinds share. */
export type Trait =
  /** Values can be compared for equality and order: filters, ordering and look-ups work. */
  | 'comparable'
  /** Values are texts, which can be searched. */
  | 'text'
  /** Values have a year, a month and a day. */
  | 'calendar'
  /** Values are true or false. */
  | 'truth'
  /** JSON shows the value unchanged, so that a list of such values can be stored as JSON. */
  | 'item'
  /** A record holds an object, which code can change. */
  | 'mutable'

/** How records hold the values of a kind, if not in its JSON form. */
export interface OwnType {
  /** From the kind's JSON value (an ISO string, a decimal's text, a bigint) to the value in a record. */
  toRecord(value: unknown): unknown
  fromRecord(value: unknown): unknown
}

/** A mapping of a kind's values to whole numbers. */
export interface ValueLine {
  readonly lowest: bigint
  readonly highest: bigint
  place(value: unknown): bigint
  valueAt(place: bigint): unknown
}

/**
 * The definition of a kind of value: in JSON, in a query string, in a path, in a file and in code. Each dialect knows
 * how its database stores it.
 *
 * The "own value" of a kind is its JSON value, except for 64-bit integers, where it is a `bigint`.
 */
export interface Kind {
  readonly name: string
  readonly traits: readonly Trait[]
  /** The kind as which a database compares it, if different. */
  readonly comparedAs?: KindName
  /** The types in records, by the `dataType` of the Drizzle column, if they differ from the own value. */
  readonly recordTypes?: Readonly<Record<string, OwnType>>

  /** The Zod schema for a value in JSON. No coercion; DRF's messages. */
  schema(info: ValueInfo, context: ReadContext): z.ZodType
  /** A check that is ten times as fast as the schema. `false` means that the schema decides. */
  plainCheck?(info: ValueInfo): PlainCheck | undefined
  /** JSON Schemas of requests and responses. */
  jsonSchema(info: ValueInfo): JsonSchemas

  /** Reads a value of the query string; `undefined` if it is not valid. */
  readText(info: ValueInfo, text: string, context: ReadContext): unknown
  /** The expected text, to stand after "Enter ". `sent` is the text that could not be read. */
  expected(info: ValueInfo, sent?: string): Text
  /** JSON Schema of the text, as a number if it is one. */
  textSchema(info: ValueInfo): JsonSchema
  /** Reads a primary key in a path; `undefined` if it is not valid. */
  readKey(info: ValueInfo, text: string): unknown

  /**
   * Converts a cell of a file to a JSON value, or returns a `CellProblem`. The schema then checks the value. A kind
   * without this method cannot be imported.
   */
  readCell?(cell: unknown, info: ValueInfo): unknown
  /** A value with the digits that a database keeps of it. Without this method, it keeps the value as it is. */
  asStored?(value: unknown, info: ValueInfo): unknown
  /** The type of the kind's cells in files. */
  readonly tabular: TabularKind
  /** The own value, the JSON text of a structured value, or the items of a list. */
  readonly cellForm: 'value' | 'json' | 'list' | 'any'
  /** The value of an empty cell in a column that requires one. Without it, such a cell is an error. */
  emptyCell?(): unknown
  /** For a person who fills in a template. */
  note(info: ValueInfo): Text
  /** Example cells, the most instructive first. */
  examples(info: ValueInfo): readonly Cell[]

  /** Whether two values of records are equal. */
  isSame(a: unknown, b: unknown): boolean
  /** The same text for values that a database considers equal. */
  identity(value: unknown): string
  /** A temporary value that hardly any row has. Each index gives another one. */
  spare?(info: ValueInfo, index: number): unknown
  /** If the next free value can be counted. */
  line?(info: ValueInfo): ValueLine
}

export const ordinary = {
  traits: ['comparable', 'item'],
  tabular: 'text',
  cellForm: 'value',
  readText: (_info, text) => text,
  expected: () => message('expected.text'),
  textSchema: () => ({ type: 'string' }),
  readKey: (_info, text) => (text.includes('\0') ? undefined : text),
  isSame: (a, b) => a === b,
  identity: value => (value instanceof Date ? String(value.getTime()) : String(value)),
} as const satisfies Partial<Kind>

export function readContextOf({ COMMON }: ApiSettings): ReadContext {
  return { timeZone: COMMON.TIME_ZONE }
}
