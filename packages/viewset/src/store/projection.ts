import type { SQL } from 'drizzle-orm'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'

/**
 * What a read selects: columns of a model, SQL expressions over it and, through its foreign keys, the same of the models
 * that it refers to.
 */
export interface Projection {
  /** Tells projections apart in the cache of statements. */
  readonly id: number
  readonly model: ModelInfo
  readonly columns: readonly ColumnInfo[]
  /** Written on the model's own table, as Drizzle names it. */
  readonly expressions: readonly SQL[]
  readonly relations: readonly ProjectedRelation[]
  /** Number of values in a row: the columns, the expressions, then those of each relation. */
  readonly width: number
  /** The relations that join a derived table, at any depth, in the order in which their joins are written. */
  readonly derived: readonly ProjectedRelation[]
}

/** Which rows of a related model there are for the running request; `undefined` is all of them. */
export type Scope = () => SQL | undefined

/** A to-one relation that is read by a join. */
export interface ProjectedRelation {
  /** The foreign key, a column of the projection that the relation stands in. */
  readonly foreignKey: ColumnInfo
  /** The column of the other model that the foreign key holds. */
  readonly target: ColumnInfo
  readonly projection: Projection
  /** Rows outside are read as if they were not there. */
  readonly scope?: Scope | undefined
}

let projections = 0

export function projection(
  model: ModelInfo,
  columns: readonly ColumnInfo[],
  relations: readonly ProjectedRelation[] = [],
  expressions: readonly SQL[] = [],
): Projection {
  const own = columns.length + expressions.length
  const width = relations.reduce((sum, relation) => sum + relation.projection.width, own)
  const derived = relations.flatMap(relation => [
    ...(isDerived(relation) ? [relation] : []),
    ...relation.projection.derived,
  ])
  return { id: ++projections, model, columns, expressions, relations, width, derived }
}

/** Whether a relation joins a derived table: SQL of the user's own stands on the related table's name. */
export function isDerived({ scope, projection: { expressions } }: ProjectedRelation): boolean {
  return scope !== undefined || expressions.length > 0
}

/** Whether rows of the projection hold nothing but the model's own columns, as a write returns them. */
export function isPlain({ expressions, relations }: Projection): boolean {
  return expressions.length === 0 && relations.length === 0
}

const keys = new WeakMap<ModelInfo, Projection>()

/** The primary key of a model and nothing else. */
export function keyProjection(model: ModelInfo): Projection {
  let key = keys.get(model)
  if (!key) {
    key = projection(model, [model.primaryKey])
    keys.set(model, key)
  }
  return key
}

const ownColumns = new WeakMap<ModelInfo, Projection>()

/** All columns of a model and nothing else: what a record is made of. */
export function ownProjection(model: ModelInfo): Projection {
  let own = ownColumns.get(model)
  if (!own) {
    own = projection(model, model.columns)
    ownColumns.set(model, own)
  }
  return own
}
