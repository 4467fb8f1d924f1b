import type { Json } from '../core/wire-names.ts'
import type { Model } from '../model/kit.ts'
import type { WireBody, WireKey } from '../model/wire-row.ts'
import type { ModelSerializer, SerializerData } from '../serializer/model-serializer.ts'
import type { EventStream } from '../viewset/answer/event-stream.ts'
import type { ListPage, Reply, Download as SentDownload } from '../viewset/answer/reply.ts'
import type { ResourceTypes } from '../viewset/types.ts'
import type { QueryOptions } from './options.ts'
import type { Download } from './send.ts'

/** The types that a resource's class contains. */
export interface ClassTypes extends ResourceTypes {
  readonly model: Model
  readonly serializer: ModelSerializer
}

/** The types of a resource's class. */
export type TypesOf<C> = C extends { readonly '~types'?: infer T } ? Extract<T, ClassTypes> : never
/** The type of a resource's setting; `undefined` if the resource does not set it. */
export type SettingOf<T extends ClassTypes, K extends string> = K extends keyof T['settings']
  ? T['settings'][K]
  : undefined

/** The same type with its properties written out, for editors. */
export type Simplify<T> = { [K in keyof T]: T[K] } & {}

/** A record's primary key. */
export type KeyOf<T extends ClassTypes> = [WireKey<T['model']>] extends [never] ? string | number : WireKey<T['model']>

/** The value that names a record in a URL: its primary key, or the resource's `lookupField`. */
export type IdOf<T extends ClassTypes> =
  SettingOf<T, 'lookupField'> extends infer K extends keyof WireBody<T['model']>
    ? NonNullable<WireBody<T['model']>[K]>
    : KeyOf<T>

/** The result of a view's method. */
export type Returned<C, K extends string> = C extends abstract new (
  ...values: never[]
) => { [P in K]: (...values: never[]) => infer R }
  ? Awaited<R>
  : never

/** The result as JSON. `Shown` is a record of the resource as it shows it. */
export type Sent<R, Shown> = 0 extends 1 & R
  ? R
  : [Promise<R>] extends [Promise<void>]
    ? null
    : R extends Reply<infer D>
      ? Sent<Awaited<D>, Shown>
      : R extends ListPage<infer I>
        ? Json<I>[]
        : R extends SentDownload
          ? Download
          : // EventSource reads it. The client's methods only read complete responses.
            R extends EventStream
            ? never
            : R extends { getJson(...values: never[]): unknown; save(...values: never[]): unknown }
              ? Shown
              : Json<R>

/** `S` if `R` equals `Standard`, or else the JSON of the class's own result. */
export type Unless<R, Standard, S> = [R, Standard] extends [Standard, R] ? S : Sent<R, S>

/** A record in responses: from its serializer, or from the class's `serialize`. */
export type ShownBy<C, T extends ClassTypes> = Unless<
  Returned<C, 'serialize'>,
  SerializerData<T['serializer']>,
  SerializerData<T['serializer']>
>

type At<T, K> = K extends keyof T ? T[K] : unknown

type PathOf<A, K> = K extends K
  ? A extends { readonly path: infer P }
    ? At<P, K> extends infer Path extends string
      ? Path
      : K
    : K
  : never
type NamesOf<A, Detail extends boolean> = A extends { readonly detail: infer D }
  ? { [K in keyof D]: D[K] extends Detail ? K : never }[keyof D]
  : never

type Input<A, K> = A extends { readonly sent: infer S } ? At<S, K> : unknown
type Output<A, K, Shown> = A extends { readonly shown: infer S; readonly returned: infer R }
  ? unknown extends At<S, K>
    ? Sent<Awaited<At<R, K>>, Shown>
    : Sent<At<S, K>, Shown>
  : unknown

type ActionCall<Method, In, Out> = Method extends 'GET'
  ? (options?: QueryOptions) => Promise<Out>
  : undefined extends In
    ? (input?: In, options?: QueryOptions) => Promise<Out>
    : (input: In, options?: QueryOptions) => Promise<Out>

/** The parameters in a path. */
export type PathParameters<P> = P extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | PathParameters<More>
    : Rest
  : never
/** `T`, or a function of the values that fill the parameters of a path. */
export type WhenFilled<P, T> = [PathParameters<P>] extends [never]
  ? T
  : (values: { readonly [K in PathParameters<P>]: string | number }) => T

type MethodOf<A, K> = A extends { readonly method: infer M } ? At<M, K> : never

/** The custom actions of a resource by path, then by method. */
export type ActionsOf<T extends ClassTypes, Shown, Detail extends boolean> = CallsOf<
  T['actions'],
  NamesOf<T['actions'], Detail>,
  Shown
>
type CallsOf<A, Names, Shown> = {
  readonly [P in PathOf<A, Names> & string]: WhenFilled<
    P,
    {
      readonly [K in Names & PropertyKey as P extends PathOf<A, K>
        ? Lowercase<MethodOf<A, K> & string>
        : never]: ActionCall<MethodOf<A, K>, Input<A, K>, Output<A, K, Shown>>
    }
  >
}
