import type { SQL } from 'drizzle-orm'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import { type ProjectedRelation, type Projection, projection } from '../store/projection.ts'
import type { ScopedStep } from './export-columns.ts'

/** Where a value stands in a row; to be asked when everything is selected. */
export type Position = () => number

/**
 * What a file needs of the database, put together column by column: columns of a model, expressions over it and, each
 * foreign key joined once, columns of those it leads to.
 */
export class Selection {
  readonly model: ModelInfo
  readonly #columns: ColumnInfo[] = []
  readonly #expressions: SQL[] = []
  readonly #joins: { readonly step: ScopedStep; readonly selection: Selection }[] = []
  readonly #relations: ProjectedRelation[] = []
  #at = 0
  #relationsAt: readonly number[] = []

  constructor(model: ModelInfo) {
    this.model = model
  }

  column(column: ColumnInfo): Position {
    if (!this.#columns.includes(column)) this.#columns.push(column)
    return () => this.#at + this.#columns.indexOf(column)
  }

  /** What the database computes over the model. */
  expression(expression: SQL): Position {
    const index = this.#expressions.push(expression) - 1
    return () => this.#at + this.#columns.length + index
  }

  /** What the model behind a foreign key is selected by. */
  follow(step: ScopedStep): Selection {
    // A join with a scope and one without cannot be the same join.
    const known = this.#joins.find(join => join.step.foreignKey === step.foreignKey && join.step.scope === step.scope)
    if (known) return known.selection
    const selection = new Selection(step.model)
    this.#joins.push({ step, selection })
    return selection
  }

  /** A relation of a serializer, with whatever that shows. */
  relation(relation: ProjectedRelation): Position {
    const index = this.#relations.push(relation) - 1
    return () => this.#relationsAt[index] as number
  }

  /** The read, of rows whose values begin at `at`. From now on positions are known. */
  project(at = 0): Projection {
    this.#at = at
    let next = at + this.#columns.length + this.#expressions.length
    const joined = this.#joins.map(({ step, selection }): ProjectedRelation => {
      const { foreignKey, target, scope } = step
      const projected = selection.project(next)
      next += projected.width
      return { foreignKey, target, projection: projected, scope }
    })
    this.#relationsAt = this.#relations.map(({ projection: { width } }) => {
      next += width
      return next - width
    })
    return projection(this.model, this.#columns, [...joined, ...this.#relations], this.#expressions)
  }
}
