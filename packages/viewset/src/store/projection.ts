import type { SQL } from 'drizzle-orm'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'

/**
 * The selected values of a read: columns of a model, SQL expressions over it, and the same of related models through
 * its foreign keys.
 */
export interface Projection {
  /** Part of the key in the statement cache. */
  readonly id: number
  readonly model: ModelInfo
  readonly columns: readonly ColumnInfo[]
  /** On the model's own table, as Drizzle names it. */
  readonly expressions: readonly SQL[]
  readonly relations: readonly ProjectedRelation[]
  readonly width: number
  /** Relations that join a derived table, at any depth, in the order of their joins. */
  readonly derived: readonly ProjectedRelation[]
}

/** The condition on the records of a relation, for the current request. */
export type Scope = () => SQL | undefined

export interface ProjectedRelation {
  /** The foreign key in the parent projection. */
  readonly foreignKey: ColumnInfo
  readonly target: ColumnInfo
  readonly projection: Projection
  /** Rows outside are read as missing. */
  readonly scope?: Scope | undefined
}

let projections = 0

export function projection(
  model: ModelInfo,
  columns: readonly ColumnInfo[],
  relations: readonly ProjectedRelation[] = [],
  expressions: readonly SQL[] = [],
): Projection {
  const ownWidth = columns.length + expressions.length
  const width = relations.reduce((sum, relation) => sum + relation.projection.width, ownWidth)
  const derived = relations.flatMap(relation => [
    ...(isDerived(relation) ? [relation] : []),
    ...relation.projection.derived,
  ])
  return { id: ++projections, model, columns, expressions, relations, width, derived }
}

export function isDerived({ scope, projection: { expressions } }: ProjectedRelation): boolean {
  return scope !== undefined || expressions.length > 0
}

export function isPlain({ expressions, relations }: Projection): boolean {
  return expressions.length === 0 && relations.length === 0
}

const keys = new WeakMap<ModelInfo, Projection>()

export function keyProjection(model: ModelInfo): Projection {
  let key = keys.get(model)
  if (!key) {
    key = projection(model, model.key.length > 1 ? model.key : [model.primaryKey])
    keys.set(model, key)
  }
  return key
}

const ownColumns = new WeakMap<ModelInfo, Projection>()

export function ownProjection(model: ModelInfo): Projection {
  let known = ownColumns.get(model)
  if (!known) {
    known = projection(model, model.columns)
    ownColumns.set(model, known)
  }
  return known
}
