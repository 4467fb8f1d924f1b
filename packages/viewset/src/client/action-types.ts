import type { ClassTypes, Sent } from './class-types.ts'
import type { QueryOptions } from './options.ts'

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
