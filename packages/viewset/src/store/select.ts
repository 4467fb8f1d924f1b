import type { Dialect } from '../model/dialect/dialect.ts'
import { qualifiedName, quoteName } from '../model/drizzle.ts'
import type { ColumnInfo, TableInfo } from '../model/model-info.ts'
import { isDerived, isPlain, type Projection } from './projection.ts'

/** A part of the rows: `limit` rows behind the first `offset`. */
export interface RowWindow {
  readonly limit: number
  readonly offset: number
}

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
  /** The rows of a page that is read by its keys first, see {@link isDeep}; the limit's value is then not used. */
  readonly deepLimit?: number | undefined
  /** Whether each row ends with its values of the ordering's terms. */
  readonly positions?: boolean
  /**
   * The values of expressions come first of all; those of tables where the joins stand, which for a page is at the end.
   */
  readonly rendered: RenderedProjection
}

/** SQL of the user's own in a projection, as it stands in the statement of the running request. */
export interface RenderedProjection {
  /** The expressions of the projection itself. */
  readonly expressions: readonly string[]
  /** What each relation in {@link Projection.derived} joins; `undefined` where that is the table after all. */
  readonly tables: readonly (string | undefined)[]
}

/** A table's name in SQL. */
export function tableName(model: TableInfo): string {
  return qualifiedName(model)
}

/** A column's name in SQL; Drizzle's expressions name the table just so, which lets them stand in our statements. */
export function columnName(model: TableInfo, column: ColumnInfo): string {
  return `${tableName(model)}.${quoteName(column.name)}`
}

/** The name of an expression's value in a derived table; no column is called so. */
export function expressionName(index: number): string {
  return quoteName(`_expression_${index}`)
}

export function whereClause(where: string | undefined): string {
  return where === undefined ? '' : ` where ${where}`
}

/** Rows that a page may skip before it is worth to find its keys first. */
const DEEP = 1_000

/**
 * Whether a page lies so far behind the start that its keys are to be found first: of the rows that it skips, the database
 * then reads an index at most, if there is one on the ordering and the primary key. The rows are the same ones, since it
 * is one statement. An ordering by more than the table's own columns has no such index.
 */
export function isDeep(order: readonly OrderTerm[], { limit, offset }: RowWindow): boolean {
  // The limit becomes a part of the text, which nothing but a number may.
  const isSimple = Number.isSafeInteger(limit) && order.every(({ expression }) => typeof expression !== 'string')
  return offset >= DEEP && isSimple
}

/**
 * Compiles a read. With joins or expressions and a page, the page is cut first: the rest then costs as much as the page
 * has rows, not as the table has.
 *
 * Computed terms of the ordering are selected under a name, behind the projection's columns. So each expression stands
 * in the text once and before the conditions, which is the order of its values too.
 */
export function compileSelect(dialect: Dialect, shape: SelectShape): string {
  const { projection, where, limitAt, rendered, orderJoins = '', positions = false } = shape
  const { model } = projection
  const { computed, places, orderBy } = orderTerms(dialect, shape, tableName(model))
  const rest = partOf(dialect, shape, `${whereClause(where)}${orderBy}`)
  if (isPlain(projection) || limitAt === undefined) {
    const { selected, joins } = joinRelations(projection, tableName(model), rendered)
    return `select ${[...selected, ...(positions ? places : computed)].join(', ')} from ${tableName(model)}${joins}${orderJoins}${rest}`
  }
  const needed = [...pageColumns(shape)].map(column => columnName(model, column))
  const pageName = quoteName(model.name)
  // Expressions name the table; where that takes a schema, no page can be called so, and they stand inside of it.
  // PostgreSQL, which has the schemas, works them out behind the LIMIT all the same.
  const isInside = model.schema !== undefined
  const inside = isInside ? rendered.expressions.map((text, index) => `${text} as ${expressionName(index)}`) : []
  const expressions = rendered.expressions.map((text, index) =>
    isInside ? `${pageName}.${expressionName(index)}` : text,
  )
  const page = `select ${[...needed, ...inside, ...computed].join(', ')} from ${tableName(model)}${orderJoins}${rest}`
  const { selected, joins } = joinRelations(projection, pageName, { ...rendered, expressions })
  const outer = orderTerms(dialect, shape, pageName)
  const last = positions ? outer.names : []
  return `select ${[...selected, ...last].join(', ')} from (${page}) as ${pageName}${joins}${outer.orderBy}`
}

/** What the statement around a page needs of its rows; an expression may name any column. */
function pageColumns({ projection, order }: SelectShape): Iterable<ColumnInfo> {
  const { columns, expressions, relations, model } = projection
  if (expressions.length > 0) return model.columns
  const keys = relations.map(relation => relation.foreignKey)
  const ordered = order.flatMap(({ expression }) => (typeof expression === 'string' ? [] : [expression]))
  return new Set([...columns, ...keys, ...ordered])
}

interface RenderedOrder {
  /** The computed terms, each under a name. */
  readonly computed: readonly string[]
  /** What all terms are called where they have been selected. */
  readonly names: readonly string[]
  /** All terms as they are selected. */
  readonly places: readonly string[]
  readonly orderBy: string
}

function orderTerms(dialect: Dialect, { order }: Pick<SelectShape, 'order'>, table: string): RenderedOrder {
  const computed: string[] = []
  const names: string[] = []
  const places: string[] = []
  const terms = order.map(({ expression, descending, nullable = true }) => {
    const isColumn = typeof expression !== 'string'
    const name = isColumn ? `${table}.${quoteName(expression.name)}` : quoteName(`_order_${computed.length}`)
    names.push(name)
    if (isColumn) {
      places.push(name)
      return dialect.orderBy(name, descending, expression.nullable)
    }
    const place = `${expression} as ${name}`
    places.push(place)
    computed.push(place)
    return dialect.orderBy(name, descending, nullable)
  })
  return { computed, names, places, orderBy: terms.length === 0 ? '' : ` order by ${terms.join(', ')}` }
}

/**
 * The selected columns in the order of {@link Projection}, and the joins that they need. Each relation is joined under
 * an alias made of its path, so one table can stand in a statement as often as relations lead to it.
 */
export function joinRelations(
  root: Projection,
  rootName: string,
  { expressions, tables }: RenderedProjection,
): { selected: string[]; joins: string } {
  if (tables.length !== root.derived.length) throw new Error('A relation would be read without its scope.')
  const selected: string[] = []
  const aliases = new Set<string>()
  let joins = ''
  let derived = 0
  const visit = (projection: Projection, name: string, path: string, values: readonly string[]): void => {
    for (const column of projection.columns) selected.push(`${name}.${quoteName(column.name)}`)
    selected.push(...values)
    for (const relation of projection.relations) {
      const { foreignKey, target, projection: related } = relation
      const relatedPath = `${path}_${foreignKey.wire}`
      const alias = quoteName(aliasOf(relatedPath, aliases))
      const rows = (isDerived(relation) ? tables[derived++] : undefined) ?? tableName(related.model)
      joins += ` left join ${rows} as ${alias} on ${alias}.${quoteName(target.name)} = ${name}.${quoteName(foreignKey.name)}`
      const inTable = related.expressions.map((_, index) => `${alias}.${expressionName(index)}`)
      visit(related, alias, `${relatedPath}_`, inTable)
    }
  }
  visit(root, rootName, '', expressions)
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

/** What stands behind the tables of a read: which rows, in what order. */
function partOf(dialect: Dialect, { projection: { model }, limitAt, deepLimit, ...shape }: SelectShape, rows: string) {
  if (limitAt === undefined) return rows
  const offset = ` offset ${dialect.placeholder(deepLimit === undefined ? limitAt + 1 : limitAt)}`
  if (deepLimit === undefined) return `${rows} limit ${dialect.placeholder(limitAt)}${offset}`
  const key = columnName(model, model.primaryKey)
  // The limit is a part of the text, so that a plan for any values knows that these are few rows.
  const keys = `select ${key} from ${tableName(model)}${rows} limit ${deepLimit}${offset}`
  return ` where ${key} in (${keys})${orderTerms(dialect, shape, tableName(model)).orderBy}`
}
