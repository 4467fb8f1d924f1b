import type { SQL } from 'drizzle-orm'
import type * as z from 'zod'
import { ConfigError } from '../core/errors.ts'
import { checkOptions } from '../core/setting-rules.ts'
import type { PlainCheck } from '../kinds/kind.ts'
import type { ExpressionValue } from '../model/dialect/dialect.ts'
import type { TextOptions } from '../model/kit.ts'
import { TEXT_RULES } from '../model/kit-columns.ts'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import type { Scope } from '../store/projection.ts'
import type { ToManyRelation } from '../store/to-many.ts'
import type { ContextualSchema } from './column-schema.ts'
import type { FixedValues } from './fixed-values.ts'
import type { ModelSerializer } from './model-serializer.ts'

/** What a client writes through a relation. */
export type WriteSide = 'id' | 'data' | 'str' | 'flexible' | null
/** What a client reads through a relation; a function makes it from the related record. */
export type ReadSide = 'id' | 'data' | 'str' | 'custom'

/** What a field shows of a related record, where the wire has it otherwise than code. Types only. */
export interface Shown<Code, Wire> {
  readonly '~code': Code
  readonly '~wire': Wire
}

/** The key of a related record, shown as it is. Types only. */
export interface ShownKey<Code, Wire> extends Shown<Code, Wire> {
  readonly '~key': true
}

/**
 * What a write takes through a relation field: in code beside the column's own type, and on the wire; never for a field
 * that is only read. Types only.
 */
export interface Taken<Code, Wire> {
  readonly '~code': Code
  readonly '~wire': Wire
}

/** What the foreign key itself takes on the wire. Types only. */
export interface OwnKey {
  readonly '~own': true
}

/** How a relation field was declared, to be checked when its serializer is made. */
interface Declaration {
  /** The name of the function that declared it, for messages. */
  readonly name: string
  readonly options: object
  /** The names of the options that it takes. */
  readonly known: readonly string[]
}

/**
 * A relation to one record as it is declared. `Out` is what a client reads, or a {@link Shown}; `In` is what a write takes,
 * a {@link Taken}; `C` is the foreign key, where it is not named after the field.
 */
export interface DeclaredField<Out = unknown, In = unknown, C extends string = string> extends Declaration {
  readonly kind: 'toOne'
  readonly write: WriteSide
  readonly read: ReadSide
  /** Types only; absent at run time. */
  readonly '~types'?: { readonly output: Out; readonly input: In; readonly column: C }
}

/** A relation to many records as it is declared. `Out` is what a client reads of each, `In` a {@link Taken}. */
export interface DeclaredManyField<Out = unknown, In = unknown> extends Declaration {
  readonly kind: 'toMany'
  /** Types only; absent at run time. */
  readonly '~types'?: { readonly output: Out; readonly input: In }
}

/** An SQL expression as it is declared, to be read with the rows. `Out` is what a client reads. */
export interface DeclaredExpression<Out = unknown> {
  readonly kind: 'expression'
  /** An expression over the model's own table. */
  readonly expression: SQL
  readonly value: ExpressionValue
  /** There always is a value. */
  readonly notNull: boolean
  /** Types only; absent at run time. */
  readonly '~types'?: { readonly output: Out }
}

/**
 * A field of a serializer as it works at run time: a column, a relation through a foreign key, a relation to many
 * records, or a value that the database or a function computes.
 */
export type SerializerField = StoredField | ManyField | ExpressionField | ComputedField

/** Fields that a client may write, if they are not read-only. */
export function isWritable(field: SerializerField): field is StoredField | ManyField {
  return (field.kind === 'stored' || field.kind === 'many') && !field.readOnly
}

/** Whether a client sees the field. */
export function isReadable(field: SerializerField): boolean {
  return !('writeOnly' in field && field.writeOnly)
}

interface NamedField {
  readonly key: string
  readonly wire: string
}

interface WritableField extends NamedField {
  /** Where a record's values hold this one. */
  readonly valueKey: string
  readonly readOnly: boolean
  readonly writeOnly: boolean
  /** A create without it is refused. */
  readonly required: boolean
  /** What a client may send; its output is a record's value, or what stands for a related record. */
  readonly schema: ContextualSchema
  /** Answers for most values in place of `schema`, where that says no more than the column does. */
  readonly plainCheck: PlainCheck | undefined
}

/** A field that is kept in a column. */
export interface StoredField extends WritableField {
  readonly kind: 'stored'
  readonly column: ColumnInfo
  /** The column as values from clients and files are read: with the serializer's rules for texts. */
  readonly checked: ColumnInfo
  /** What a value must be beyond its column's type; `schema` contains it. */
  readonly refinement: z.ZodType | undefined
  readonly relation: ToOneRelation | null
  /** The relation, where something of the related record is shown instead of the column itself. */
  readonly nested: ToOneRelation | null
}

/** A relation through a foreign key. */
export interface ToOneRelation {
  /** The column of the related model that the foreign key holds. */
  readonly target: ColumnInfo
  readonly model: ModelInfo
  /** The related records that can be written through the field. */
  readonly scope: Scope | undefined
  /** What is written to every record that is created through the field. */
  readonly fixedValues: FixedValues | undefined
  /** Whether a related record outside the scope is shown as if there were none. */
  readonly scopeReads: boolean
  readonly write: WriteSide
  readonly read: ReadSide
  readonly serializer: ModelSerializer | undefined
  /** The field that stands for a record. */
  readonly str: ColumnInfo | undefined
  readonly output: ((record: Readonly<Record<string, unknown>>) => unknown) | undefined
}

/** A relation to many records, which no column of the model holds. */
export interface ManyField extends WritableField {
  readonly kind: 'many'
  readonly relation: ToManyRelation
  readonly serializer: ModelSerializer
}

/** A field whose value the database computes whenever it is read. */
export interface ExpressionField extends NamedField {
  readonly kind: 'expression'
  readonly expression: SQL
  readonly value: ExpressionValue
  /** There always is a value. */
  readonly notNull: boolean
}

/** A field that is computed from its record whenever it is read. */
export interface ComputedField extends NamedField {
  readonly kind: 'computed'
  compute(record: Readonly<Record<string, unknown>>): unknown
}

/** How a text that a client sends is read, for one field; see {@link TextOptions}. */
export type TextRules = Pick<TextOptions, 'trim' | 'allowBlank'>

/** A column whose values are read by the rules of a serializer. @throws ConfigError for a column of another kind. */
export function withTextRules(subject: string, name: string, column: ColumnInfo, rules: TextRules): ColumnInfo {
  checkOptions(`${subject}: texts.${name}`, TEXT_RULES, rules)
  if (column.kind === 'text') return { ...column, ...rules }
  if (column.item?.kind === 'text') return { ...column, item: { ...column.item, ...rules } }
  throw new ConfigError(subject, 'texts', `"${name}" is no text, and only texts are trimmed`)
}
