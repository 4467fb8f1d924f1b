import { is, type SQL, Table } from 'drizzle-orm'
import { currentUser } from '../core/context.ts'
import type { User } from '../core/user.ts'
import type { Model } from '../model/kit.ts'
import type { Scope } from '../store/projection.ts'

/** What a relation's scope knows of the request. */
export interface ScopeContext {
  readonly user: User | null
}

/** Some records of a model: which ones, is decided anew for each request. */
export interface ScopedModel<M extends Model = Model> {
  readonly model: M
  /** The condition that these records meet; `undefined` for all of them. */
  readonly where: (context: ScopeContext) => SQL | undefined
}

/** The records that a relation field may refer to: all of a model's, or some. */
export type RelatedModel<M extends Model = Model> = M | ScopedModel<M>

/**
 * Some records of a model, for the `queryset` of a relation field: only these can be written through the field. A
 * record outside is refused just like one that does not exist.
 *
 * @example
 * IdToDataField({
 *   queryset: scoped(projects, ({ user }) => eq(projects.tenant, user?.tenant ?? NOBODY)),
 *   serializer: ProjectReference,
 * })
 */
export function scoped<M extends Model>(model: M, where: (context: ScopeContext) => SQL | undefined): ScopedModel<M> {
  return { model, where }
}

/** A field's `queryset` in its two parts; `undefined` when it is neither a model nor a scoped one. */
export function readQueryset(queryset: unknown): { model: Model; scope: Scope | undefined } | undefined {
  if (is(queryset, Table)) return { model: queryset, scope: undefined }
  if (typeof queryset !== 'object' || queryset === null) return undefined
  const { model, where } = queryset as Partial<ScopedModel>
  if (!is(model, Table) || typeof where !== 'function') return undefined
  return { model, scope: () => where({ user: currentUser() }) }
}
