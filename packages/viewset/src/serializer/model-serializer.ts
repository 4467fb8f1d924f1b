import type { User } from '../core/context.ts'
import type { Text } from '../core/messages/message.ts'
import type { JsonSchema } from '../kinds/json-schema.ts'
import type { Model, ModelRow } from '../model/kit.ts'
import type { ModelInfo } from '../model/model-info.ts'
import type { Values } from '../store/write/write.ts'
import type { SerializerField } from './fields.ts'
import type { Representation } from './output/row-writer.ts'

/** The compile-time types of a serializer. */
export interface SerializerTypes {
  readonly output: object
  readonly data: object
  readonly input: object
  // `unknown`: a narrower type would make the compiler compute it for every serializer.
  readonly body: unknown
  /** The columns by which a list may be ordered, with their JSON names as keys. */
  readonly sortable: unknown
  /** What filters can name beside the model's paths: the models of relations to many, and expressions. */
  readonly paths: unknown
  /** The JSON names of the fields that show a related record, or a list of them, by a serializer. */
  readonly nested: unknown
}
type TypesOf<S> = S extends { readonly '~types'?: infer T } ? Extract<T, SerializerTypes> : never

/** A serializer's data in code: fields by names of code, with the values of records. */
export type SerializerOutput<S> = TypesOf<S>['output']
/** A record's data in JSON, with fields in snake_case. JSON columns are unchanged. */
export type SerializerData<S> = TypesOf<S>['data']
/** The body of a create, with fields in snake_case and without read-only ones. */
export type SerializerBody<S> = TypesOf<S>['body']
/** The values that a create or update passes to `performCreate` and `performUpdate`. */
export type SerializerInput<S> = TypesOf<S>['input']

/** The second argument of a serializer's `validate`. */
export interface ValidateContext<M extends Model> {
  /** The record to update; `null` for a new one. */
  readonly record: Readonly<ModelRow<M>> | null
  readonly user: User | null
  /**
   * Adds a warning to the row of an import, which is stored all the same. The field is in code's names, or
   * `nonFieldErrors`. Other writes ignore warnings.
   *
   * @example
   * if (values.price === '0') warn('price', 'This is free of charge.')
   */
  readonly warn: (field: string, text: Text) => void
}

/** Messages by field, in code's names. `nonFieldErrors` belong to no field. */
export type Complaints<F extends string> = { readonly [K in F | 'nonFieldErrors']?: Text | readonly Text[] }

/** Converts records of a model to JSON, and JSON to values of the model; made by `BaseModelSerializer`. */
export interface ModelSerializer<M extends Model = Model, T extends SerializerTypes = SerializerTypes> {
  readonly model: M
  /** @internal */
  readonly info: ModelInfo
  /** @internal */
  readonly fields: readonly SerializerField[]
  /**
   * JSON Schema (draft 2020-12) of a request for one record: a new one, an `existing` one for PUT, or `partial` for
   * PATCH. Without rules across fields, uniqueness and existence. It is always the same object, and its `title` is its
   * name.
   *
   * @example
   * CountrySerializer.inputSchema({ partial: true }) // { title: 'CountryPatch', type: 'object', properties: { ... } }
   */
  inputSchema(options?: { readonly partial?: boolean; readonly existing?: boolean }): JsonSchema
  /** JSON Schema (draft 2020-12) of a record in responses, always the same object. */
  outputSchema(): JsonSchema
  /** @internal Shows rows with only the needed columns, for lists. */
  readonly listed: Representation
  /** @internal Shows rows with all of the model's columns, for records. */
  readonly recorded: Representation
  /** @internal Whether it has rules across fields, which may read the record. */
  readonly hasRules: boolean
  /** @internal */
  validateTogether(values: Values, context: ValidateContext<Model>): unknown
  /** Types only; absent at run time. */
  readonly '~types'?: T
}
