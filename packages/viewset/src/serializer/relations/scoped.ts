import { getTableName, is, type SQL, Table } from 'drizzle-orm'
import { currentUser, type User } from '../../core/context.ts'
import type { Model } from '../../model/kit.ts'
import { checkedCondition } from '../../store/checked-condition.ts'
import type { Scope } from '../../store/projection.ts'
import type { Values } from '../../store/write/write.ts'
import { checkedFixedValues, type FixedValues, type GivenValues } from '../fixed-values.ts'

/** The request data for a relation's scope. */
export interface ScopeContext {
  readonly user: User | null
}

/** Some records of a model, chosen for each request. */
export interface ScopedModel<M extends Model = Model> {
  readonly model: M
  /** The condition on these records; `allRecords` for all. */
  readonly where: (context: ScopeContext) => SQL
  /** Written to every record created among them. Clients cannot change these values. */
  readonly fixedValues?: (context: ScopeContext) => Partial<M['$inferInsert']>
}

/** The records that a relation field may refer to: all of a model, or some. */
export type RelatedModel<M extends Model = Model> = M | ScopedModel<M>

/**
 * Some records of a model, for the `queryset` of a relation field: only these can be written through the field. A
 * record outside is rejected like one that does not exist. `fixedValues` are written to records created through the
 * field.
 *
 * @example
 * IdToDataField({
 *   queryset: scoped(projects, ({ user }) => eq(projects.tenant, user?.tenant ?? NOBODY), {
 *     fixedValues: ({ user }) => ({ tenant: user?.tenant ?? NOBODY }),
 *   }),
 *   serializer: ProjectReference,
 * })
 */
export function scoped<M extends Model, K extends string = never>(
  model: M,
  where: (context: ScopeContext) => SQL,
  options: {
    readonly fixedValues?: (context: ScopeContext) => GivenValues<M, K>
  } = {},
): ScopedModel<M> {
  // The compiler cannot verify that `K` names fields of the model.
  return { model, where, ...(options as Pick<ScopedModel<M>, 'fixedValues'>) }
}

interface ReadQueryset {
  readonly model: Model
  readonly scope: Scope | undefined
  readonly fixedValues: FixedValues | undefined
}

/** `undefined` for other values than a table or `scoped(...)`. `subject` stands in errors. */
export function readQueryset(subject: string, queryset: unknown): ReadQueryset | undefined {
  if (is(queryset, Table)) return { model: queryset, scope: undefined, fixedValues: undefined }
  if (typeof queryset !== 'object' || queryset === null) return undefined
  const { model, where, fixedValues } = queryset as Partial<ScopedModel>
  if (!is(model, Table) || typeof where !== 'function') return undefined
  const context = () => ({ user: currentUser() })
  return {
    model,
    scope: () => checkedCondition(`${subject}: scoped("${getTableName(model)}")`, 'where', where(context())),
    fixedValues: fixedValues && (() => checkedFixedValues(model, fixedValues(context()) as Values)),
  }
}
