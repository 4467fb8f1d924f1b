import type { SQL } from 'drizzle-orm'
import type * as z from 'zod'
import type { RouteDescription } from './description/route-description.ts'
import type { PermissionClass } from './permissions.ts'
import type { Reply } from './reply.ts'

/** The methods that an action can have. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * A custom action of a resource (SPEC, "Single-record endpoints"): `POST /visits/{id}/restore/` and the like. `V` is
 * the view that the handler gets, `I` the input that it declares, `O` what its output takes.
 *
 * @example
 * actions: {
 *   rate: {
 *     method: 'POST',
 *     detail: true,
 *     input: z.object({ stars: z.int().min(1).max(5) }),
 *     handler: async (view, { stars }) => rate(await view.getObject(), stars),
 *   },
 * }
 */
export interface ActionSpec<V = never, I = never, O = unknown> {
  readonly method: HttpMethod
  /** Whether the action is about one record: its path then has the record's id. */
  readonly detail: boolean
  /** The last part of the path, where it is not the action's name. */
  readonly path?: string
  /** Status of a successful answer. Default 200. */
  readonly status?: number
  /** Whether all it writes is one transaction. Default: unless the method is one that only reads. */
  readonly writes?: boolean
  /** The record set of this action, where it differs from the resource's. */
  readonly queryset?: (view: V) => SQL
  /** The permissions of this action, where they differ from the resource's. */
  readonly permissionClasses?: readonly PermissionClass[]
  /** What the body must be; the handler gets it as its second argument. Without it, the body is not looked at. */
  readonly input?: z.ZodType<I>
  /** What the handler returns; an answer of another shape is our own fault, a 500. */
  readonly output?: z.ZodType<unknown, O>
  /** What the description of the API says of it, beside its input and its output. */
  readonly describes?: Partial<RouteDescription>
  /** Its result becomes the envelope's data; a `Reply` or a `ListPage` says more. */
  handler(view: V, input: I): O | Reply<O> | Promise<O | Reply<O>>
}

/**
 * What is read off custom actions as somebody has written them, by their names: the input that a handler gets and what is
 * sent for it, what its output takes and shows, what it returns.
 */
export interface WrittenActions {
  readonly input: object
  readonly sent: object
  readonly output: object
  readonly shown: object
  readonly returned: object
  readonly method: object
  readonly detail: object
  readonly path: object
}
type Of<T, K> = K extends keyof T ? T[K] : unknown

/** Custom actions by name; `W` is what can be read off them. */
export type ActionSpecs<V, W extends WrittenActions> = {
  readonly [K in keyof W['input']]: ActionSpec<V, W['input'][K], Of<W['output'], K>>
} & { readonly [K in keyof W['output']]: { readonly output?: z.ZodType<unknown, W['output'][K]> } } & {
  readonly [K in keyof W['shown']]: { readonly output?: z.ZodType<W['shown'][K]> }
} & { readonly [K in keyof W['sent']]: { readonly input?: z.ZodType<unknown, W['sent'][K]> } } & {
  readonly [K in keyof W['returned']]: { handler(view: V, input: never): W['returned'][K] }
} & { readonly [K in keyof W['method']]: { readonly method: W['method'][K] } } & {
  readonly [K in keyof W['detail']]: { readonly detail: W['detail'][K] }
} & { readonly [K in keyof W['path']]: { readonly path?: W['path'][K] } }
