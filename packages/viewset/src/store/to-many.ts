import { quoteName } from '../model/drizzle.ts'
import type { ColumnInfo, ModelInfo, TableInfo } from '../model/model-info.ts'
import type { Database } from './connection/database.ts'
import type { Executor, RawRow } from './connection/driver.ts'
import type { Projection, Scope } from './projection.ts'
import { renderProjection, renderScope } from './render-projection.ts'
import { valueSet } from './row-set.ts'
import { columnName, joinRelations, tableName } from './select.ts'

/**
 * A relation that leads from one record to many: through the rows of a join table, or by a foreign key of the related
 * model, which then is its own join table.
 */
export interface ToManyRelation {
  /** The field's name on the wire, for messages. */
  readonly wire: string
  /** The related records. */
  readonly model: ModelInfo
  /** The related records that may be linked and unlinked. */
  readonly scope: Scope | undefined
  /** Whether related records outside the scope are left out when the relation is read. */
  readonly scopeReads: boolean
  readonly ordering: readonly RelatedOrder[]
  /** Most records that are read for each owner, in their order. */
  readonly limit: number | undefined
  /** The column of the owning model that links hold. */
  readonly ownerKey: ColumnInfo
  /** The column of the related model that identifies its records: what links hold. */
  readonly relatedKey: ColumnInfo
  /** Where the links are: a join table, or the related model itself. */
  readonly links: TableInfo
  /** The link's column that holds `ownerKey`. */
  readonly source: ColumnInfo
  /** The link's column that holds `relatedKey`; in a foreign key's own table, that is the column itself. */
  readonly target: ColumnInfo
}

/** A term of the order of related records. */
export interface RelatedOrder {
  readonly column: ColumnInfo
  readonly descending: boolean
}

/** Whether links are rows of their own. */
export function hasJoinTable({ links, model }: ToManyRelation): boolean {
  return links.table !== model.table
}

/** The join table's name inside a statement; no column's name on the wire makes an alias like it. */
const LINK = quoteName('_link_')

/** Most records that one statement reads: what a page, or a batch of a stream, may hold in memory. */
const MOST = 100_000

/** FROM of the related records with their links, and the expression of a link's `source`. */
function linked(relation: ToManyRelation): { readonly from: string; readonly source: string } {
  const { model, links, source, target, relatedKey } = relation
  if (!hasJoinTable(relation)) return { from: tableName(model), source: columnName(model, source) }
  const on = `${columnName(model, relatedKey)} = ${LINK}.${quoteName(target.name)}`
  return {
    from: `${tableName(links)} as ${LINK} join ${tableName(model)} on ${on}`,
    source: `${LINK}.${quoteName(source.name)}`,
  }
}

/**
 * Reads the related records of any number of owners with one statement. A row begins with the value of `ownerKey`;
 * those of the projection follow.
 *
 * @throws Error for a relation that has outgrown being shown in whole: a list is never cut without being told to.
 */
export async function readRelated(
  database: Database,
  executor: Executor,
  relation: ToManyRelation,
  projection: Projection,
  ownerKeys: readonly unknown[],
): Promise<readonly RawRow[]> {
  if (ownerKeys.length === 0) return []
  const { dialect } = database
  const { model, ordering, source, limit, wire } = relation
  const rendered = renderProjection(database, projection)
  const keysAt = rendered.values.length + 1
  const keys = valueSet(dialect, source, ownerKeys)
  const scopeAt = rendered.values.length + keys.length
  const scope = relation.scopeReads ? renderScope(database, relation.scope, scopeAt) : undefined
  const order = ordering.map(({ column, descending }) => `${descending}${column.name}`)
  const shape = `related ${wire} ${limit} ${relation.links.id}.${source.name}.${relation.target.name} ${projection.id} ${order} ${scope?.text ?? ''} ${rendered.tables.join()}`
  const statement = database.statement(shape, () => {
    const { from, source: owner } = linked(relation)
    const { selected, joins } = joinRelations(projection, tableName(model), rendered)
    const wanted = `${owner} in (${dialect.selectRowSet([source], keysAt)})${scope ? ` and ${scope.text}` : ''}`
    const terms = ordering.map(({ column, descending }) =>
      dialect.orderBy(columnName(model, column), descending, column.nullable),
    )
    const orderBy = `order by ${terms.join(', ')}`
    const key = columnName(model, model.primaryKey)
    const ranked = `select ${owner} as _owner, ${key} as _key, row_number() over (partition by ${owner} ${orderBy}) as _rank from ${from} where ${wanted}`
    const where =
      limit === undefined
        ? wanted
        : `(${owner}, ${key}) in (select _owner, _key from (${ranked}) as _ranked where _rank <= ${limit})`
    return `select ${[owner, ...selected].join(', ')} from ${from}${joins} where ${where} ${orderBy} limit ${MOST + 1}`
  })
  const { rows } = await executor.run(statement, [...rendered.values, ...keys, ...(scope?.values ?? [])])
  if (rows.length <= MOST) return rows
  throw new Error(
    `"${wire}" has more than ${MOST} records of "${model.name}" for one page; give it a limit, or make it a resource of its own.`,
  )
}

/** A link between two records, by the values that it holds. */
export interface Link {
  readonly source: unknown
  readonly target: unknown
}

/** The links of owners to related records in the relation's scope; those outside are nobody's to change. */
export async function readLinks(
  database: Database,
  relation: ToManyRelation,
  ownerKeys: readonly unknown[],
): Promise<readonly Link[]> {
  const { dialect } = database
  const { model, source, target, relatedKey } = relation
  const keys = valueSet(dialect, source, ownerKeys)
  const scope = renderScope(database, relation.scope, keys.length)
  const shape = `links ${relation.links.id} ${source.name} ${target.name} ${model.id} ${scope?.text ?? ''}`
  const statement = database.statement(shape, () => {
    const { from, source: owner } = linked(relation)
    const where = `${owner} in (${dialect.selectRowSet([source], 1)})${scope ? ` and ${scope.text}` : ''}`
    return `select ${owner}, ${columnName(model, relatedKey)} from ${from} where ${where}`
  })
  const { rows } = await database.run(statement, [...keys, ...(scope?.values ?? [])])
  const decodeSource = dialect.decoder(source)
  const decodeTarget = dialect.decoder(relatedKey)
  return rows.map(([from, to]) => ({ source: decodeSource(from), target: decodeTarget(to) }))
}
