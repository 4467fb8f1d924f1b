import type { SQL } from 'drizzle-orm'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'

/** What a read selects: columns of a model and, through its foreign keys, of the models it refers to. */
export interface Projection {
  /** Tells projections apart in the cache of statements. */
  readonly id: number
  readonly model: ModelInfo
  readonly columns: readonly ColumnInfo[]
  readonly relations: readonly ProjectedRelation[]
  /** Number of values in a row: the columns, then those of each relation. */
  readonly width: number
  /** The relations with a scope, at any depth, in the order in which their joins are written. */
  readonly scoped: readonly ProjectedRelation[]
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
): Projection {
  const width = relations.reduce((sum, relation) => sum + relation.projection.width, columns.length)
  const scoped = relations.flatMap(relation => [...(relation.scope ? [relation] : []), ...relation.projection.scoped])
  return { id: ++projections, model, columns, relations, width, scoped }
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
