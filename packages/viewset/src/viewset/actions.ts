import type { SQL } from 'drizzle-orm'
import type * as z from 'zod'
import { shown } from '../core/config-error.ts'
import { ConfigError } from '../core/errors.ts'
import { problemOf, type SettingRules, setting } from '../core/setting-rules.ts'
import { suggestion } from '../core/suggestion.ts'
import type { Isolation } from '../store/connection/transaction.ts'
import type { Reply } from './answer/reply.ts'
import { checkActionDescription, type RouteDescription } from './description/route-description.ts'
import type { HttpMethod } from './http-method.ts'
import type { PermissionClass } from './permissions.ts'

/**
 * A custom action of a resource, such as `POST /visits/{id}/restore/` (DRF's `@action`). `V` is the handler's view,
 * `I` its input, `O` the values that its output accepts.
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
  /** Whether the action is about one record. Its path then has the record's id. */
  readonly detail: boolean
  /** The last part of the path. Default: the name of the action. */
  readonly path?: string
  /** Status of a successful answer. Default 200. */
  readonly status?: number
  /** Whether the action runs in a transaction. Default: true unless the method only reads. */
  readonly writes?: boolean
  /**
   * Whether its transaction is serializable: the result is that of actions one after the other, and after a conflict
   * the handler runs again. It needs `writes`. Default: the `isolation` of the resource.
   */
  readonly isolation?: Isolation
  /** The records of this action. Default: those of the resource. */
  readonly queryset?: (view: V) => SQL
  /** The permissions of this action. Default: those of the resource. */
  readonly permissionClasses?: readonly PermissionClass[]
  /**
   * The schema of the body. The handler gets its value as the second argument. Without a schema, the body is not read.
   */
  readonly input?: z.ZodType<I>
  /** The schema of the handler's result. A result that does not match is an error of the server, a 500. */
  readonly output?: z.ZodType<unknown, O>
  /** Additions to the API's description of this action. */
  readonly describes?: Partial<RouteDescription>
  /** The result becomes the envelope's data. A `Reply` can also set the status, the message and headers. */
  handler(view: V, input: I): O | Reply<O> | Promise<O | Reply<O>>
}

/**
 * Types that TypeScript infers from custom actions, by their names: the handler's input, the body before the schema,
 * the output before and after the schema, the handler's result.
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

/** Custom actions by name. `W` is inferred from them. */
export type ActionSpecs<V, W extends WrittenActions> = {
  readonly [K in keyof W['input']]: ActionSpec<V, W['input'][K], Of<W['output'], K>>
} & { readonly [K in keyof W['output']]: { readonly output?: z.ZodType<unknown, W['output'][K]> } } & {
  readonly [K in keyof W['shown']]: { readonly output?: z.ZodType<W['shown'][K]> }
} & { readonly [K in keyof W['sent']]: { readonly input?: z.ZodType<unknown, W['sent'][K]> } } & {
  readonly [K in keyof W['returned']]: { handler(view: V, input: never): W['returned'][K] }
} & { readonly [K in keyof W['method']]: { readonly method: W['method'][K] } } & {
  readonly [K in keyof W['detail']]: { readonly detail: W['detail'][K] }
} & { readonly [K in keyof W['path']]: { readonly path?: W['path'][K] } }

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const RULES: SettingRules = {
  method: setting.any,
  detail: { ...setting.boolean, expected: 'must be true for an action on one record, false for one on the list' },
  path: setting.any,
  status: {
    ...setting.any,
    accepts: value => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 299,
    expected: 'must be a status of success, 200 to 299',
  },
  writes: setting.boolean,
  isolation: setting.oneOf('serializable'),
  queryset: setting.condition,
  permissionClasses: {
    ...setting.permissions,
    accepts: value => setting.permissions.accepts(value) && (value as readonly unknown[]).length > 0,
    expected: `${setting.permissions.expected}; say [AllowAny] if everyone may use the action`,
  },
  input: setting.schema,
  output: setting.schema,
  describes: setting.object,
  handler: setting.function,
}

/** Whether a text is a path such as `reports/daily`, without a slash at either end. */
export function isPath(text: string): boolean {
  return /^[^\s/?#]+(\/[^\s/?#]+)*$/.test(text)
}

const EXAMPLE = "{ publish: { method: 'POST', detail: true, handler: view => ... } }"

export function checkActions(subject: string, actions: Readonly<Record<string, ActionSpec>>): void {
  if (typeof actions !== 'object' || actions === null || Array.isArray(actions)) {
    throw new ConfigError(subject, 'actions', `must be an object of actions by name: ${EXAMPLE}`)
  }
  for (const [name, action] of Object.entries(actions)) checkAction(subject, `actions.${name}`, action)
}

function checkAction(subject: string, key: string, action: ActionSpec): void {
  if (typeof action !== 'object' || action === null) {
    throw new ConfigError(subject, key, `must be an object, not ${shown(action)}: ${EXAMPLE}`)
  }
  const known = Object.keys(RULES)
  const unknownName = Object.keys(action).find(name => !known.includes(name))
  if (unknownName !== undefined) {
    throw new ConfigError(subject, key, `unknown setting "${unknownName}"${suggestion(unknownName, known)}`)
  }
  if (!METHODS.includes(action.method)) {
    throw new ConfigError(subject, key, `method must be one of ${METHODS.join(', ')}`)
  }
  if (action.path !== undefined && !isPath(action.path)) {
    throw new ConfigError(subject, key, `path "${action.path}" must be a part of a path, without a slash at either end`)
  }
  const { detail = null, handler = null } = action
  for (const [name, value] of Object.entries({ ...action, detail, handler })) {
    const rule = RULES[name]
    if (rule && value !== undefined && !rule.accepts(value)) {
      throw new ConfigError(subject, key, `${name} ${problemOf(rule, value)}`)
    }
  }
  if (action.method === 'GET' && action.input !== undefined) {
    throw new ConfigError(subject, key, 'input is the body, which a GET request has none of; read view.query instead')
  }
  checkActionDescription(`${subject}: ${key}.describes`, action.describes)
}
