import type { User } from '../core/context.ts'
import { ApiError, NotAuthenticated, PermissionDenied } from '../core/errors.ts'
import { isClass } from '../core/setting-rules.ts'

type MaybePromise<T> = T | Promise<T>

export const ACTION_NAMES = [
  'list',
  'create',
  'retrieve',
  'update',
  'destroy',
  'restore',
  'bulkCreate',
  'bulkUpdate',
  'bulkUpsert',
  'bulkDelete',
  'bulkSoftDelete',
  'bulkRestore',
  'export',
  'importFile',
  'importPreview',
  'importTemplate',
  'importMappings',
  'saveImportMapping',
  'deleteImportMapping',
  'undo',
  'history',
  'historyDiff',
  'revert',
] as const

/**
 * The name of an action of a mixin. `satisfies ActionName[]` refuses a misspelt name.
 *
 * @example
 * const forAdmins: readonly string[] = ['destroy', 'importFile'] satisfies ActionName[]
 */
export type ActionName = (typeof ACTION_NAMES)[number]

/** The properties of a view that a permission may read. */
export interface PermissionView {
  readonly user: User | null
  /** The action's name: an {@link ActionName}, or the name of an action of your own. */
  readonly action: ActionName | (string & Record<never, never>)
  readonly method: string
}

/**
 * Decides who may use a resource. With `hasObjectPermission`, it also decides who may use one record.
 *
 * @example
 * const IsAuthor: Permission<{ createdBy: string | null }> = {
 *   hasPermission: view => view.user !== null,
 *   hasObjectPermission: (view, record) => record.createdBy === view.user?.id,
 * }
 */
export interface Permission<R = never> {
  hasPermission(view: PermissionView): MaybePromise<boolean>
  /** Called again when an action has found its record. */
  hasObjectPermission?(view: PermissionView, record: R): MaybePromise<boolean>
}

/** A permission as an object, as a class without arguments, or as a function that checks each request. */
export type PermissionClass<R = never> = Permission<R> | (new () => Permission<R>) | Permission<R>['hasPermission']

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether a method only reads (RFC 9110, 9.2.1). */
export function isSafe(method: string): boolean {
  return SAFE_METHODS.has(method)
}

/** Everyone may do everything. */
export const AllowAny: Permission = { hasPermission: () => true }

/** Only authenticated users. */
export const IsAuthenticated: Permission = { hasPermission: view => view.user !== null }

/** Everyone may read, authenticated users may write. */
export const IsAuthenticatedOrReadOnly: Permission = {
  hasPermission: view => isSafe(view.method) || view.user !== null,
}

/** Only users with the role `admin`. */
export const IsAdminUser: Permission = { hasPermission: view => view.user?.roles?.includes('admin') ?? false }

/** Everyone may read. Use it in `anyOf` before a rule about writing. */
export const ReadOnly: Permission = { hasPermission: view => isSafe(view.method) }

/**
 * All of `permissions` must allow it.
 *
 * @example
 * permissionClasses: [anyOf(ReadOnly, allOf(IsAuthenticated, noneOf(IsSuspended)))]
 */
export function allOf<R = never>(...permissions: readonly PermissionClass<R>[]): Permission<R> {
  return combined(permissions, {
    hasPermission: view => every(permissions, permission => asks(permission, view)),
    hasObjectPermission: (view, record) => every(permissions, permission => asksForRecord(permission, view, record)),
  })
}

/** One of `permissions` must allow it. For a record, the same one must allow the request and the record. */
export function anyOf<R = never>(...permissions: readonly PermissionClass<R>[]): Permission<R> {
  return combined(permissions, {
    hasPermission: view => some(permissions, permission => asks(permission, view)),
    hasObjectPermission: (view, record) => some(permissions, permission => allows(permission, view, record)),
  })
}

/** None of `permissions` may allow it. An object permission is checked only with a record. */
export function noneOf<R = never>(...permissions: readonly PermissionClass<R>[]): Permission<R> {
  const ofRequest = permissions.filter(permission => !isObjectPermission(permission))
  return combined(permissions, {
    hasPermission: async view => !(await some(ofRequest, permission => asks(permission, view))),
    hasObjectPermission: async (view, record) =>
      !(await some(permissions, permission => allows(permission, view, record))),
  })
}

/** The result has an object permission only if one of its parts does. `noneOf` depends on that. */
function combined<R>(
  permissions: readonly PermissionClass<R>[],
  { hasPermission, hasObjectPermission }: Required<Permission<R>>,
): Permission<R> {
  return permissions.some(isObjectPermission) ? { hasPermission, hasObjectPermission } : { hasPermission }
}

const instances = new WeakMap<object, Permission<unknown>>()

function permissionOf<R>(given: PermissionClass<R>): Permission<R> {
  if (!isClass(given)) return typeof given === 'function' ? { hasPermission: given } : given
  const known = instances.get(given) ?? (new given() as Permission<unknown>)
  instances.set(given, known)
  return known as Permission<R>
}

export function isObjectPermission<R>(permission: PermissionClass<R>): boolean {
  return permissionOf(permission).hasObjectPermission !== undefined
}

async function allows<R>(permission: PermissionClass<R>, view: PermissionView, record: R): Promise<boolean> {
  return (await asks(permission, view)) && asksForRecord(permission, view, record)
}

/** The answer of permissions that are all synchronous. A caller that knows it need not wait. */
export const GRANTED: Promise<void> = Promise.resolve()

/** Refuses with 401 without a user and with 403 for a user, as DRF does. */
export function requirePermissions<R>(
  permissions: readonly PermissionClass<R>[],
  view: PermissionView,
  record?: R,
): Promise<void> {
  const ask = (permission: PermissionClass<R>) =>
    record === undefined ? asks(permission, view) : asksForRecord(permission, view, record)
  try {
    // Most permissions are synchronous, and then no promise is made.
    for (const [index, permission] of permissions.entries()) {
      const answer = ask(permission)
      if (answer !== true) return requireOthers(view, answer, permissions.slice(index + 1), ask)
    }
    return GRANTED
  } catch (error) {
    return Promise.reject(error)
  }
}

async function requireOthers<P>(
  { user }: PermissionView,
  answer: MaybePromise<boolean>,
  others: readonly P[],
  ask: (permission: P) => MaybePromise<boolean>,
): Promise<void> {
  const allowed = (await answer) && (await every(others, ask))
  if (!allowed) throw user === null ? new NotAuthenticated() : new PermissionDenied()
}

/** Whether `ask` permits. A thrown ApiError below 500 means false. Other errors propagate. */
export async function isPermitted(ask: () => unknown): Promise<boolean> {
  try {
    await ask()
    return true
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return false
    throw error
  }
}

function asks<R>(permission: PermissionClass<R>, view: PermissionView): MaybePromise<boolean> {
  return permissionOf(permission).hasPermission(view)
}

function asksForRecord<R>(permission: PermissionClass<R>, view: PermissionView, record: R): MaybePromise<boolean> {
  return permissionOf(permission).hasObjectPermission?.(view, record) ?? true
}

async function every<T>(items: readonly T[], test: (item: T) => MaybePromise<boolean>): Promise<boolean> {
  for (const item of items) if (!(await test(item))) return false
  return true
}

async function some<T>(items: readonly T[], test: (item: T) => MaybePromise<boolean>): Promise<boolean> {
  for (const item of items) if (await test(item)) return true
  return false
}
