import type * as z from 'zod'
import type { Cell, TabularKind } from '../tabular/table.ts'
import type { JsonSchema, JsonSchemas } from './json-schema.ts'

/** The kinds that Viewset brings: what the databases' codecs know. Every other kind is kept as one of them. */
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

/** What is known of the values of a column, or of an expression: their kind and its limits. */
export interface ValueInfo {
  /** How the database keeps the values. */
  readonly kind: KindName
  /** The kind that the application has defined for them, where it has; see `kindOf`. */
  readonly ownKind?: Kind
  /** Largest number of characters of a text, or of bytes of a binary value. */
  readonly length?: number
  /** Whether blanks around a text that a client sends are removed. Default true. */
  readonly trim?: boolean
  /** Whether a client may send the empty text. Default false. */
  readonly allowBlank?: boolean
  readonly precision?: number
  readonly scale?: number
  readonly values?: readonly string[]
  /** What a text is compared by in SQL, where its column says so. */
  readonly collation?: string
  /** Range of an integer. */
  readonly bits?: 16 | 32 | 64
  /** What the items of an array are. */
  readonly item?: ValueInfo
  /** The column's name in code, which can suggest an example. */
  readonly key?: string
  readonly sqlType?: string
  /** Whether a type that only its database knows can hold a value, as far as that can be told. */
  readonly accepts?: ((value: unknown) => boolean) | undefined
}

/** What a value is read with, beside itself. */
export interface ReadContext {
  /** Where a datetime without an offset is read. */
  readonly timeZone: string
}

/** Whether a value is right for a column and is stored as it is. */
export type PlainCheck = (value: unknown) => boolean

/** What kinds have in common. */
export type Trait =
  /** Values are equal or not, and in an order: they can be filtered and ordered by, and a record found. */
  | 'comparable'
  /** Values are texts, in which others can be looked for. */
  | 'text'
  /** Values lie in a year, a month and a day. */
  | 'calendar'
  /** Values are true or false. */
  | 'truth'
  /** JSON has the own value as it is, so that a list of such values can be kept as JSON. */
  | 'item'
  /** A record holds an object, whose inside can change. */
  | 'mutable'

/** How records hold a kind's values, where it is not in the kind's own form (DESIGN, rule 12). */
export interface OwnType {
  /** From the kind's own value (an ISO string, a decimal's text, a bigint) to what a record holds. */
  toRecord(value: unknown): unknown
  /** Back again. */
  fromRecord(value: unknown): unknown
}

/** Where the values of a kind lie on a line of whole numbers. */
export interface ValueLine {
  readonly lowest: bigint
  readonly highest: bigint
  place(value: unknown): bigint
  valueAt(place: bigint): unknown
}

/**
 * All that a kind of value is, on every side: in JSON, in a query string, in a path, in a file and in code. Each kind is
 * one file of this folder; how a database holds it is for the dialects to know.
 *
 * The "own value" of a kind is what JSON shows of it, but for 64-bit integers, which are `bigint`.
 */
export interface Kind {
  readonly name: string
  readonly traits: readonly Trait[]
  /** The kind that a database compares it as, where it is another one. */
  readonly comparedAs?: KindName
  /** What records hold instead of the own value, by the `dataType` of the Drizzle column. */
  readonly recordTypes?: Readonly<Record<string, OwnType>>

  /** Reads a value as a client sends it in JSON. Nothing is coerced; the messages are DRF's. */
  schema(info: ValueInfo, context: ReadContext): z.ZodType
  /** Tells, ten times as fast as the schema, that a value is right as it is. What it refuses is for the schema to judge. */
  plainCheck?(info: ValueInfo): PlainCheck | undefined
  /** What a client sends and what it gets, as JSON Schema. */
  jsonSchema(info: ValueInfo): JsonSchemas

  /** Reads a value in a query string; `undefined` for a text that is none. */
  readText(info: ValueInfo, text: string, context: ReadContext): unknown
  /** What such a text must be, behind "Enter ". */
  expected(info: ValueInfo): string
  /** What such a text is, as JSON Schema: of its number where it is one. */
  textSchema(info: ValueInfo): JsonSchema
  /** Reads the primary key in a path; `undefined` for a text that cannot be one. */
  readKey(info: ValueInfo, text: string): unknown

  /**
   * What the cell of a file says, as JSON would have it, or a `CellProblem`; the schema then judges it. A kind without
   * it cannot be imported.
   */
  readCell?(cell: unknown, info: ValueInfo): unknown
  /** How a file types its cells. */
  readonly tabular: TabularKind
  /** A cell has the own value, or the JSON text of a value that has a structure. */
  readonly cellForm: 'value' | 'json' | 'any'
  /** What a person who fills a template in is told: a sentence. */
  note(info: ValueInfo): string
  /** Cells that the kind may have, those that tell most of it first. */
  examples(info: ValueInfo): readonly Cell[]

  /** Whether two values of records are the same. */
  isSame(a: unknown, b: unknown): boolean
  /** Text that is the same for values which a database takes for one. */
  identity(value: unknown): string
  /** A value that hardly any row has, to stand in for a moment; the more of them, each with its own index. */
  spare?(info: ValueInfo, index: number): unknown
  /** The line that values lie on, where the next free one can be counted. */
  line?(info: ValueInfo): ValueLine
}
