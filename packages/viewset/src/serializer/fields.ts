import type { SQL } from 'drizzle-orm'
import type * as z from 'zod'
import type { User } from '../core/context.ts'
import { ConfigError } from '../core/errors.ts'
import { checkOptions } from '../core/setting-rules.ts'
import type { PlainCheck } from '../kinds/kind.ts'
import type { ExpressionValue } from '../model/dialect/dialect.ts'
import type { Model, TextOptions } from '../model/kit.ts'
import { TEXT_RULES } from '../model/kit-columns.ts'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import type { ListMode } from '../records/drafts.ts'
import type { Scope } from '../store/projection.ts'
import type { ToManyRelation } from '../store/to-many.ts'
import type { ContextualSchema } from './column-schema.ts'
import type { FixedValues } from './fixed-values.ts'
import type { ModelSerializer } from './model-serializer.ts'

/** The form of a relation in requests. */
export type WriteSide = 'id' | 'data' | 'str' | 'flexible' | null
/** The form of a relation in responses. `custom` is a function of the related record. */
export type ReadSide = 'id' | 'data' | 'str' | 'custom'

/** The form of each item of a relation to many in requests. */
export type ManyWriteSide = Exclude<WriteSide, null>
/** The form of each item of a relation to many in responses. */
export type ManyReadSide = Exclude<ReadSide, 'custom'>

/** A field's type in responses, if it differs between code and JSON. Types only. */
export interface Shown<Code, Wire> {
  readonly '~code': Code
  readonly '~wire': Wire
}

/** A related record's key in responses. Types only. */
export interface ShownKey<Code, Wire> extends Shown<Code, Wire> {
  readonly '~key': true
}

/**
 * A relation field's types in writes: in code beside the column's own type, and in JSON; never for a read-only one.
 * Types only.
 */
export interface Taken<Code, Wire> {
  readonly '~code': Code
  readonly '~wire': Wire
}

/** The foreign key's own type in requests. Types only. */
export interface OwnKey {
  readonly '~own': true
}

interface Declaration {
  readonly name: string
  readonly options: object
  readonly known: readonly string[]
}

/**
 * A declared relation to one record. `Out` is the type in responses, or a {@link Shown}. `In` is the type in writes, a
 * {@link Taken}. `C` is the foreign key, if it has another name than the field.
 */
export interface DeclaredField<Out = unknown, In = unknown, C extends string = string> extends Declaration {
  readonly kind: 'toOne'
  readonly write: WriteSide
  readonly read: ReadSide
  /** Types only; absent at run time. */
  readonly '~types'?: { readonly output: Out; readonly input: In; readonly column: C }
}

/** A declared relation to many records. `Out` is each item's type in responses, `In` a {@link Taken}, `M` their model. */
export interface DeclaredManyField<Out = unknown, In = unknown, M extends Model = Model> extends Declaration {
  readonly kind: 'toMany'
  readonly write: ManyWriteSide
  readonly read: ManyReadSide
  /** Types only; absent at run time. */
  readonly '~types'?: { readonly output: Out; readonly input: In; readonly model: M }
}

/** A declared SQL expression. `Out` is the type in responses. */
export interface DeclaredExpression<Out = unknown> {
  readonly kind: 'expression'
  /** An expression over the model's own table. */
  readonly expression: SQL
  readonly value: ExpressionValue
  /** The value is never null. */
  readonly notNull: boolean
  /** Types only; absent at run time. */
  readonly '~types'?: { readonly output: Out }
}

/** A declared input that no column keeps. `Out` is the type in code, `In` the one in JSON. */
export interface DeclaredInput<Out = unknown, In = unknown> {
  readonly kind: 'input'
  readonly schema: z.ZodType<Out, In>
}

/** A declared field that shows a column under another name. `C` is the column. */
export interface DeclaredColumn<C extends string = string> {
  readonly kind: 'column'
  readonly column: C
}

export type SerializerField = StoredField | ManyField | InputField | ExpressionField | ComputedField
/** A field that clients can write, if it is not read-only. */
export type WrittenField = StoredField | ManyField | InputField

export function isWritable(field: SerializerField): field is WrittenField {
  return (field.kind === 'stored' || field.kind === 'many' || field.kind === 'input') && !field.readOnly
}

export function isReadable(field: SerializerField): boolean {
  return !('writeOnly' in field && field.writeOnly)
}

/** Whether a user may read or write a field. */
export type UserTest = (user: User | null) => boolean

interface NamedField {
  readonly key: string
  readonly wire: string
  /** Default: everyone who may read or write the record. */
  readonly readableBy?: UserTest
  readonly writableBy?: UserTest
}

interface WritableField extends NamedField {
  readonly valueKey: string
  readonly readOnly: boolean
  readonly writeOnly: boolean
  readonly required: boolean
  /** Its output is a record's value, or stands for a related record. */
  readonly schema: ContextualSchema
  /** A quick check in place of `schema`, if the field has no rules beyond its column's. */
  readonly plainCheck: PlainCheck | undefined
}

export interface StoredField extends WritableField {
  readonly kind: 'stored'
  readonly column: ColumnInfo
  /** The column with the serializer's rules for texts. */
  readonly checked: ColumnInfo
  /** `schema` includes it. */
  readonly refinement: z.ZodType | undefined
  readonly relation: ToOneRelation | null
  /** The relation, if responses show more than the column. */
  readonly nested: ToOneRelation | null
}

export interface ToOneRelation {
  readonly target: ColumnInfo
  readonly model: ModelInfo
  readonly scope: Scope | undefined
  /** Written to every record created through the field. */
  readonly fixedValues: FixedValues | undefined
  readonly scopeReads: boolean
  readonly write: WriteSide
  readonly read: ReadSide
  readonly serializer: ModelSerializer | undefined
  readonly str: ColumnInfo | undefined
  readonly output: ((record: Readonly<Record<string, unknown>>) => unknown) | undefined
  /** Makes the identifier of another form in requests. */
  readonly input: z.ZodType | undefined
}

/** A relation to many records, without a column of the model. */
export interface ManyField extends WritableField {
  readonly kind: 'many'
  readonly relation: ToManyRelation
  readonly write: ManyWriteSide
  readonly read: ManyReadSide
  /** Shows each related record, and validates one written as an object. */
  readonly serializer: ModelSerializer | undefined
  /** The field that stands for a record. */
  readonly str: ColumnInfo | undefined
  /** Written to every record created through the field. */
  readonly fixedValues: FixedValues | undefined
  readonly modes: ListModes
  /** Most items in the list of a request, for items that are records. */
  readonly maxItems: number | undefined
  /** Most stored records of a list. A write beyond it is refused. */
  readonly maxStored: number
  /** Whether a text without a record creates one. */
  readonly createsMissing: boolean
  /** Makes each identifier of another form in requests. */
  readonly input: z.ZodType | undefined
}

/** The key behind a list in an answer, which says that the list is read in part. */
export function truncatedName({ wire }: ManyField): string {
  return `${wire}_truncated`
}

/** What happens to stored children that a list leaves out, by the method of the request. */
export interface ListModes {
  readonly PUT: ListMode
  readonly PATCH: ListMode
}

/** Whether a field's items are records that are written with their owner. */
export function takesRecords({ write }: Pick<ManyField, 'write'>): boolean {
  return write === 'data' || write === 'flexible'
}

/** A value of requests that only hooks read. */
export interface InputField extends WritableField {
  readonly kind: 'input'
  readonly input: z.ZodType
}

/** A field that the database computes on each read. */
export interface ExpressionField extends NamedField {
  readonly kind: 'expression'
  readonly expression: SQL
  readonly value: ExpressionValue
  /** The value is never null. */
  readonly notNull: boolean
}

/** A field computed from its record on each read. */
export interface ComputedField extends NamedField {
  readonly kind: 'computed'
  compute(record: Readonly<Record<string, unknown>>): unknown
}

/** The rules for reading a field's texts; see {@link TextOptions}. */
export type TextRules = Pick<TextOptions, 'trim' | 'allowBlank'>

/** A column with the serializer's rules for texts. @throws ConfigError for a column of another kind. */
export function withTextRules(subject: string, name: string, column: ColumnInfo, rules: TextRules): ColumnInfo {
  checkOptions(`${subject}: texts.${name}`, TEXT_RULES, rules)
  if (column.kind === 'text') return { ...column, ...rules }
  if (column.item?.kind === 'text') return { ...column, item: { ...column.item, ...rules } }
  throw new ConfigError(subject, 'texts', `"${name}" is no text, and only texts are trimmed`)
}
