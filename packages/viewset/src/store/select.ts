import type { Dialect } from '../model/dialect/dialect.ts'
import { qualifiedName, quoteName } from '../model/drizzle.ts'
import type { ColumnInfo, TableInfo } from '../model/model-info.ts'
import { isDerived, isPlain, type Projection } from './projection.ts'

/** A part of the rows: `limit` rows after the first `offset`. */
export interface RowWindow {
  readonly limit: number
  readonly offset: number
}

export interface OrderTerm {
  readonly expression: ColumnInfo | string
  readonly descending: boolean
  readonly nullable?: boolean
}

export interface SelectShape {
  readonly projection: Projection
  /** Rendered conditions. Their values follow those of the ordering's expressions. */
  readonly where: string | undefined
  readonly order: readonly OrderTerm[]
  readonly orderJoins?: string
  /** Position of the limit's value; the offset's is the next one. */
  readonly limitAt: number | undefined
  /** The limit of a page that is read by its keys first, see {@link isDeep}; the limit's value is then unused. */
  readonly deepLimit?: number | undefined
  /** Whether each row ends with the values of its ordering terms. */
  readonly positions?: boolean
  /**
   * The values of expressions come first; those of derived tables stand at the joins, which for a page are at the end.
   */
  readonly rendered: RenderedProjection
}

/** User SQL of a projection, rendered for the current request. */
export interface RenderedProjection {
  readonly expressions: readonly string[]
  /** The derived table of each relation in {@link Projection.derived}; `undefined` for the plain table. */
  readonly tables: readonly (string | undefined)[]
}

export function tableName(model: TableInfo): string {
  return qualifiedName(model)
}

/** A column's name in SQL, with its table in the form that Drizzle's expressions use. */
export function columnName(model: TableInfo, column: ColumnInfo): string {
  return `${tableName(model)}.${quoteName(column.name)}`
}

/** Columns as one value, for a comparison with rows: `(a, b)`. */
export function tupleOf(model: TableInfo, columns: readonly ColumnInfo[]): string {
  const names = columns.map(column => columnName(model, column))
  return names.length === 1 ? (names[0] as string) : `(${names.join(', ')})`
}

export function expressionName(index: number): string {
  return quoteName(`_expression_${index}`)
}

export function whereClause(where: string | undefined): string {
  return where === undefined ? '' : ` where ${where}`
}

const DEEP = 1_000

/**
 * Whether a page is so far from the start that its keys are read first. The database then skips rows within an index on
 * the ordering and the primary key, if there is one. The result is the same. An ordering by expressions has no such
 * index.
 */
export function isDeep(order: readonly OrderTerm[], { limit, offset }: RowWindow): boolean {
  // The limit becomes part of the text, so it must be a number.
  const isSimple = Number.isSafeInteger(limit) && order.every(({ expression }) => typeof expression !== 'string')
  return offset >= DEEP && isSimple
}

/**
 * Compiles a read. A page with joins or expressions is limited first: the rest then costs as much as the page.
 *
 * Computed ordering terms are selected under a name, after the projection's columns. Then each expression occurs once,
 * and its values precede those of the conditions.
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
  // Expressions name the table. A derived table cannot have a name with a schema, so they stand inside the page.
  // PostgreSQL, which has schemas, computes them after the LIMIT anyway.
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

/** The page's columns for the outer statement; an expression may use any column. */
function pageColumns({ projection, order }: SelectShape): Iterable<ColumnInfo> {
  const { columns, expressions, relations, model } = projection
  if (expressions.length > 0) return model.columns
  const keys = relations.map(relation => relation.foreignKey)
  const ordered = order.flatMap(({ expression }) => (typeof expression === 'string' ? [] : [expression]))
  return new Set([...columns, ...keys, ...ordered])
}

interface RenderedOrder {
  readonly computed: readonly string[]
  readonly names: readonly string[]
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
 * The selected columns in the order of {@link Projection}, and their joins. A relation's alias is its path, so a table
 * can be joined for several relations.
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

/** PostgreSQL cuts longer names, which may become equal. */
const LONGEST_NAME = 63

function aliasOf(path: string, taken: Set<string>): string {
  const isFree = !taken.has(path) && Buffer.byteLength(path) <= LONGEST_NAME
  const alias = isFree ? path : `_relation_${taken.size + 1}`
  taken.add(alias)
  return alias
}

function partOf(dialect: Dialect, { projection: { model }, limitAt, deepLimit, ...shape }: SelectShape, rows: string) {
  if (limitAt === undefined) return rows
  const offset = ` offset ${dialect.placeholder(deepLimit === undefined ? limitAt + 1 : limitAt)}`
  if (deepLimit === undefined) return `${rows} limit ${dialect.placeholder(limitAt)}${offset}`
  const key = columnName(model, model.primaryKey)
  // As part of the text, the limit shows the planner that these are few rows.
  const keys = `select ${key} from ${tableName(model)}${rows} limit ${deepLimit}${offset}`
  return ` where ${key} in (${keys})${orderTerms(dialect, shape, tableName(model)).orderBy}`
}
