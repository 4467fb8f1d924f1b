import type { Json } from '../core/wire-names.ts'
import type { Model } from '../model/kit.ts'
import type { WireKey } from '../model/wire-row.ts'
import type { ModelSerializer, SerializerData } from '../serializer/model-serializer.ts'
import type { EventStream } from '../viewset/event-stream.ts'
import type { ListPage, Reply, Download as SentDownload } from '../viewset/reply.ts'
import type { ResourceTypes } from '../viewset/types.ts'
import type { QueryOptions } from './options.ts'
import type { Download } from './send.ts'

/** What a resource's class knows of itself. */
export interface ClassTypes extends ResourceTypes {
  readonly model: Model
  readonly serializer: ModelSerializer
}

/** What the class of a resource knows of its types. */
export type TypesOf<C> = C extends { readonly '~types'?: infer T } ? Extract<T, ClassTypes> : never
/** A setting as it is written; `undefined` where it is not. */
export type SettingOf<T extends ClassTypes, K extends string> = K extends keyof T['settings']
  ? T['settings'][K]
  : undefined

/** The same type with its properties written out, so that hovering shows them. */
export type Simplify<T> = { [K in keyof T]: T[K] } & {}

/** A record's key in an address. */
export type IdOf<T extends ClassTypes> = [WireKey<T['model']>] extends [never] ? string | number : WireKey<T['model']>

/** What a method of a class's views returns. */
export type Returned<C, K extends string> = C extends abstract new (
  ...values: never[]
) => { [P in K]: (...values: never[]) => infer R }
  ? Awaited<R>
  : never

/** What is returned, as the wire has it; `Shown` is a record of the resource as it shows it. */
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
          : // Read by EventSource: the client's methods are for answers that are whole.
            R extends EventStream
            ? never
            : R extends { getJson(...values: never[]): unknown; save(...values: never[]): unknown }
              ? Shown
              : Json<R>

/** `S` where `R` is the same as `Standard`, else what a class of its own makes of it. */
export type Unless<R, Standard, S> = [R, Standard] extends [Standard, R] ? S : Sent<R, S>

/** A record as the resource shows it: as its serializer does, or what its class makes of that in `serialize`. */
export type ShownBy<C, T extends ClassTypes> = Unless<
  Returned<C, 'serialize'>,
  SerializerData<T['serializer']>,
  SerializerData<T['serializer']>
>

type At<T, K> = K extends keyof T ? T[K] : unknown

/** An action's address: the last part of its path. */
type PathOf<A, K> = K extends K
  ? A extends { readonly path: infer P }
    ? At<P, K> extends infer Path extends string
      ? Path
      : K
    : K
  : never
/** The names of actions about one record (`true`) or the resource as a whole. */
type NamesOf<A, Detail extends boolean> = A extends { readonly detail: infer D }
  ? { [K in keyof D]: D[K] extends Detail ? K : never }[keyof D]
  : never

type Input<A, K> = A extends { readonly sent: infer S } ? At<S, K> : unknown
type Output<A, K, Shown> = A extends { readonly shown: infer S; readonly returned: infer R }
  ? unknown extends At<S, K>
    ? Sent<Awaited<At<R, K>>, Shown>
    : Sent<At<S, K>, Shown>
  : unknown

/** One action, by its method. */
type ActionCall<Method, In, Out> = Method extends 'GET'
  ? (options?: QueryOptions) => Promise<Out>
  : undefined extends In
    ? (input?: In, options?: QueryOptions) => Promise<Out>
    : (input: In, options?: QueryOptions) => Promise<Out>

/** The parts of a path that are still to be filled in. */
export type PathParameters<P> = P extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${infer More}`
    ? Name | PathParameters<More>
    : Rest
  : never
/** `T`, once the parts of the path have their values. */
export type WhenFilled<P, T> = [PathParameters<P>] extends [never]
  ? T
  : (values: { readonly [K in PathParameters<P>]: string | number }) => T

type MethodOf<A, K> = A extends { readonly method: infer M } ? At<M, K> : never

/** The custom actions of a resource by their addresses, then by their methods. */
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
