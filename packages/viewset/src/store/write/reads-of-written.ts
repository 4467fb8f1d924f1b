import { quoteName } from '../../model/drizzle.ts'
import type { TableInfo } from '../../model/model-info.ts'
import { isDerived, type Projection } from '../projection.ts'
import { tableName } from '../select.ts'

/** How a write finds the rows of a relation. */
interface Way {
  readonly tables: string
  readonly where: string
}

/**
 * Whether a write can return all that a projection reads: columns, and columns of related rows. Related rows must not
 * be in the written table, because a statement sees that table as it was before.
 */
export function isReadOfWritten(projection: Projection, written: TableInfo = projection.model): boolean {
  const { expressions, relations } = projection
  return (
    expressions.length === 0 &&
    relations.every(relation => {
      const { projection: related } = relation
      return !isDerived(relation) && related.model.table !== written.table && isReadOfWritten(related, written)
    })
  )
}

/** The expressions that a write returns, in the order of the projection's values; see {@link isReadOfWritten}. */
export function readsOfWritten(written: Projection): readonly string[] {
  const reads = written.columns.map(({ name }) => quoteName(name))
  let joined = 0
  const visit = ({ relations }: Projection, nameOf: (column: string) => string, way?: Way): void => {
    for (const { foreignKey, target, projection } of relations) {
      const alias = `"_read_${joined++}"`
      const inAlias = (column: string) => `${alias}.${quoteName(column)}`
      const table = `${tableName(projection.model)} as ${alias}`
      const tie = `${inAlias(target.name)} = ${nameOf(foreignKey.name)}`
      const next = way
        ? { tables: `${way.tables} join ${table} on ${tie}`, where: way.where }
        : { tables: table, where: tie }
      for (const { name } of projection.columns) {
        reads.push(`(select ${inAlias(name)} from ${next.tables} where ${next.where})`)
      }
      visit(projection, inAlias, next)
    }
  }
  visit(written, column => `${tableName(written.model)}.${quoteName(column)}`)
  return reads
}
