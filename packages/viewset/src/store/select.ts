import { quoteName } from '../model/drizzle.ts'
import type { ColumnInfo, TableInfo } from '../model/model-info.ts'
import type { Dialect } from './dialect/dialect.ts'
import type { Projection } from './projection.ts'

/** A term of an ordering: a column of the model, or an expression as rendered SQL text. */
export interface OrderTerm {
  readonly expression: ColumnInfo | string
  readonly descending: boolean
  /** Whether an expression can be null; a column knows it by itself. */
  readonly nullable?: boolean
}

export interface SelectShape {
  readonly projection: Projection
  /** Rendered conditions; their values come behind those of the ordering's expressions. */
  readonly where: string | undefined
  readonly order: readonly OrderTerm[]
  /** Rendered joins that the ordering's expressions need; they neither add nor drop rows. */
  readonly orderJoins?: string
  /** Position of the limit's value; the offset's is the next one. */
  readonly limitAt: number | undefined
  /** Rendered conditions of the projection's `scoped` relations; their values stand where the joins do. */
  readonly scopes?: RelationScopes
}

/** A condition for each scoped relation of a projection, in their order; `undefined` where there is none just now. */
export type RelationScopes = readonly (string | undefined)[]

/** A table's name in SQL. */
export function tableName(model: TableInfo): string {
  return model.schema === undefined ? quoteName(model.name) : `${quoteName(model.schema)}.${quoteName(model.name)}`
}

/** A column's name in SQL; Drizzle's expressions name the table just so, which lets them stand in our statements. */
export function columnName(model: TableInfo, column: ColumnInfo): string {
  return `${tableName(model)}.${quoteName(column.name)}`
}

export function whereClause(where: string | undefined): string {
  return where === undefined ? '' : ` where ${where}`
}

/**
 * Compiles a read. With joins and a page, the page is cut first and joined afterwards: the joins then cost as much as
 * the page has rows, not as the table has.
 *
 * Computed terms of the ordering are selected under a name, behind the projection's columns. So each expression stands
 * in the text once and before the conditions, which is the order of its values too.
 */
export function compileSelect(dialect: Dialect, shape: SelectShape): string {
  const { projection, where, limitAt, scopes, orderJoins = '' } = shape
  const { model } = projection
  const { computed, orderBy } = orderTerms(dialect, shape, tableName(model))
  const rest = `${whereClause(where)}${orderBy}${limitClause(dialect, limitAt)}`
  if (projection.relations.length === 0 || limitAt === undefined) {
    const { selected, joins } = joinRelations(projection, tableName(model), scopes)
    return `select ${[...selected, ...computed].join(', ')} from ${tableName(model)}${joins}${orderJoins}${rest}`
  }
  const ordered = shape.order.flatMap(({ expression }) => (typeof expression === 'string' ? [] : [expression]))
  const keys = projection.relations.map(relation => relation.foreignKey)
  const needed = [...new Set([...projection.columns, ...keys, ...ordered])].map(column => columnName(model, column))
  const page = `select ${[...needed, ...computed].join(', ')} from ${tableName(model)}${orderJoins}${rest}`
  const pageName = quoteName(model.name)
  const { selected, joins } = joinRelations(projection, pageName, scopes)
  const outer = orderTerms(dialect, shape, pageName)
  return `select ${selected.join(', ')} from (${page}) as ${pageName}${joins}${outer.orderBy}`
}

function orderTerms(dialect: Dialect, { order }: SelectShape, table: string): { computed: string[]; orderBy: string } {
  const computed: string[] = []
  const terms = order.map(({ expression, descending, nullable = true }) => {
    if (typeof expression !== 'string') {
      return dialect.orderBy(`${table}.${quoteName(expression.name)}`, descending, expression.nullable)
    }
    const name = quoteName(`_order_${computed.length}`)
    computed.push(`${expression} as ${name}`)
    return dialect.orderBy(name, descending, nullable)
  })
  return { computed, orderBy: terms.length === 0 ? '' : ` order by ${terms.join(', ')}` }
}

/**
 * The selected columns in the order of {@link Projection}, and the joins that they need. Each relation is joined under
 * an alias made of its path, so one table can stand in a statement as often as relations lead to it. A scope is written
 * on the table's own name, so it stands in a derived table, where that name means this join's rows and no others.
 */
export function joinRelations(
  root: Projection,
  rootName: string,
  scopes: RelationScopes = [],
): { selected: string[]; joins: string } {
  if (scopes.length !== root.scoped.length) throw new Error('A scoped relation would be read without its scope.')
  const selected: string[] = []
  const aliases = new Set<string>()
  let joins = ''
  let scoped = 0
  const visit = (projection: Projection, name: string, path: string): void => {
    for (const column of projection.columns) selected.push(`${name}.${quoteName(column.name)}`)
    for (const { foreignKey, target, projection: related, scope } of projection.relations) {
      const relatedPath = `${path}_${foreignKey.wire}`
      const alias = quoteName(aliasOf(relatedPath, aliases))
      const condition = scope && scopes[scoped++]
      const table = tableName(related.model)
      const rows = condition === undefined ? table : `(select * from ${table} where ${condition})`
      joins += ` left join ${rows} as ${alias} on ${alias}.${quoteName(target.name)} = ${name}.${quoteName(foreignKey.name)}`
      visit(related, alias, `${relatedPath}_`)
    }
  }
  visit(root, rootName, '')
  return { selected, joins }
}

/** PostgreSQL cuts longer names, and two that are cut may be one. */
const LONGEST_NAME = 63

/** The path itself, unless another relation leads through the same foreign key or the name would be too long. */
function aliasOf(path: string, taken: Set<string>): string {
  const isFree = !taken.has(path) && Buffer.byteLength(path) <= LONGEST_NAME
  const alias = isFree ? path : `_relation_${taken.size + 1}`
  taken.add(alias)
  return alias
}

function limitClause(dialect: Dialect, limitAt: number | undefined): string {
  if (limitAt === undefined) return ''
  return ` limit ${dialect.placeholder(limitAt)} offset ${dialect.placeholder(limitAt + 1)}`
}
