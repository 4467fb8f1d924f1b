import type { User } from '../core/context.ts'
import type { JsonSchema } from '../kinds/json-schema.ts'
import type { Model, ModelRow } from '../model/kit.ts'
import type { ModelInfo } from '../model/model-info.ts'
import type { Values } from '../store/write/write.ts'
import type { SerializerField } from './fields.ts'
import type { Representation } from './output/row-writer.ts'

/** What a serializer knows of its data at compile time. */
export interface SerializerTypes {
  readonly output: object
  readonly data: object
  readonly input: object
  // Unknown: to see that they are objects, the compiler would work them out for every serializer.
  readonly body: unknown
  /** The columns that a list may be ordered by: its keys are their names on the wire. */
  readonly sortable: unknown
}
type TypesOf<S> = S extends { readonly '~types'?: infer T } ? Extract<T, SerializerTypes> : never

/** What a serializer's data looks like in code: its fields by their names in code, with the values of records. */
export type SerializerOutput<S> = TypesOf<S>['output']
/** A record's data as it is sent: fields in snake_case, with the values of JSON. JSON columns are what they are. */
export type SerializerData<S> = TypesOf<S>['data']
/** What a client sends to create a record: fields in snake_case, those left out that it cannot write. */
export type SerializerBody<S> = TypesOf<S>['body']
/** The values that a create or an update hands to `performCreate` and `performUpdate`. */
export type SerializerInput<S> = TypesOf<S>['input']

/** What a serializer's `validate` knows beside the values. */
export interface ValidateContext<M extends Model> {
  /** The record that is to be updated; `null` for a new one. */
  readonly record: Readonly<ModelRow<M>> | null
  readonly user: User | null
}

/** Messages by field, in code's names; those under `nonFieldErrors` belong to no field. */
export type Complaints<F extends string> = { readonly [K in F | 'nonFieldErrors']?: string | readonly string[] }

/** Turns records of a model into JSON and JSON into values of the model; made by `BaseModelSerializer`. */
export interface ModelSerializer<M extends Model = Model, T extends SerializerTypes = SerializerTypes> {
  readonly model: M
  /** @internal */
  readonly info: ModelInfo
  /** @internal */
  readonly fields: readonly SerializerField[]
  /**
   * What a client may send for one record, as JSON Schema (draft 2020-12): for a new one, for one that is `existing`, as
   * a PUT has it, or with `partial`, as a PATCH has it. Rules
   * across fields are not part of it, and neither is what is unique or has to exist. It is always the same object, whose
   * `title` is the name of what it describes.
   *
   * @example
   * CountrySerializer.inputSchema({ partial: true }) // { title: 'CountryPatch', type: 'object', properties: { ... } }
   */
  inputSchema(options?: { readonly partial?: boolean; readonly existing?: boolean }): JsonSchema
  /** What a client gets of one record, as JSON Schema (draft 2020-12): the same object each time. */
  outputSchema(): JsonSchema
  /** @internal Shows rows that hold only what the fields need: for lists. */
  readonly listed: Representation
  /** @internal Shows rows that begin with all of the model's columns: for records. */
  readonly recorded: Representation
  /** @internal Whether there are rules across fields, which may look at the record. */
  readonly hasRules: boolean
  /** @internal */
  validateTogether(values: Values, context: ValidateContext<Model>): unknown
  /** Types only; absent at run time. */
  readonly '~types'?: T
}
