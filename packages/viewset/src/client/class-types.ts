import type { Json } from '../core/wire-names.ts'
import type { Model } from '../model/kit.ts'
import type { WireKey } from '../model/wire-row.ts'
import type { ModelSerializer, SerializerData } from '../serializer/model-serializer.ts'
import type { EventStream } from '../viewset/event-stream.ts'
import type { ListPage, Reply, Download as SentDownload } from '../viewset/reply.ts'
import type { ResourceTypes } from '../viewset/types.ts'
import type { Download } from './download.ts'

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
