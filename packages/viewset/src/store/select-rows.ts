import type { SQL } from 'drizzle-orm'
import type { ColumnPath } from '../model/column-path.ts'
import type { Dialect } from '../model/dialect/dialect.ts'
import { quoteName } from '../model/drizzle.ts'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import type { Database } from './connection/database.ts'
import type { CompiledStatement, Statement } from './connection/driver.ts'
import { conditionsAfter, type KeyTerm, type ListPosition } from './keyset.ts'
import type { Projection } from './projection.ts'
import { renderExpression, renderExpressions, renderTables } from './render-projection.ts'
import { hasKey } from './row-order.ts'
import {
  columnName,
  compileSelect,
  isDeep,
  type OrderTerm,
  type RowWindow,
  type SelectShape,
  tableName,
} from './select.ts'
import { withBigints } from './sql-parts.ts'
import { Bound } from './sql-value.ts'

/** A term of an ordering: a column, a column of a related model, or a computed expression. */
export interface Ordering {
  readonly by: ColumnInfo | ColumnPath | SQL
  readonly descending: boolean
  /** Whether NULLs come last also in a descending order. */
  readonly nullsLast?: boolean
}

/** A part of the rows: at most `limit` after a position or, `backward`, before it, nearest first. */
export interface KeysetSlice {
  /** `null` for the start or, backward, the end. */
  readonly from: ListPosition | null
  readonly backward: boolean
  readonly limit: number
}

interface RowsOf {
  readonly database: Database
  readonly model: ModelInfo
  readonly ordering: readonly Ordering[]
  condition(offset: number): { readonly text: string | undefined; readonly values: readonly unknown[] }
}

/** An ordering in which no two rows are equal: the primary key ends it. */
export function withTotalOrder({ totalOrder }: ModelInfo, ordering: readonly Ordering[]): readonly Ordering[] {
  const isKnown = (column: ColumnInfo) => ordering.some(({ by }) => by === column)
  const more = totalOrder.filter(column => !isKnown(column)).map(by => ({ by, descending: false }))
  if (more.length > 0) return [...ordering, ...more]
  // What stands behind the last part of the key orders nothing.
  const last = Math.max(...totalOrder.map(column => ordering.findIndex(({ by }) => by === column)))
  return last === ordering.length - 1 ? ordering : ordering.slice(0, last + 1)
}

export function orderKey({ database, model, ordering }: RowsOf): string {
  const terms = ordering.map(({ by, descending, nullsLast }) => {
    const way = `${descending ? '-' : '+'}${nullsLast ? 'n' : ''}`
    if ('steps' in by) return [way, by.wire, by.column.sqlType]
    if ('wire' in by) return [way, by.name, by.sqlType]
    const { text, values } = renderExpression(database, by, 0)
    return [way, text, values]
  })
  return JSON.stringify([tableName(model), terms], withBigints)
}

interface Select {
  readonly statement: Statement
  readonly values: readonly unknown[]
}

export function selectRows(set: RowsOf, projection: Projection, window?: RowWindow): Select {
  return select(set, projection, orderOf(set, false), { window })
}

/**
 * The statements that read a slice one after the other; see {@link conditionsAfter}. Each gets the limit that the
 * previous ones left. Each row ends with its position.
 */
export function sliceStatements(
  set: RowsOf,
  projection: Projection,
  { from, backward }: KeysetSlice,
): readonly ((limit: number) => Select)[] {
  const order = orderOf(set, backward)
  const conditions = from ? conditionsAfter(order.terms, from) : [undefined]
  return conditions.map(condition => limit => {
    return select(set, projection, order, { window: { limit, offset: 0 }, condition, positions: true })
  })
}

interface Order {
  readonly terms: readonly (KeyTerm & { readonly column?: ColumnInfo })[]
  readonly joins: string
}

function orderOf({ database, model, ordering }: RowsOf, backward: boolean): Order {
  const joins = new PathJoins(model)
  const terms = ordering.flatMap(one => {
    const term = termOf(one)
    // Ascending, NULLs are last anyway.
    if (!one.nullsLast || !one.descending || !term.nullable) return [term]
    const isNull = { descending: backward, nullable: false, write: (bound: Bound) => `(${term.write(bound)} is null)` }
    return [isNull, term]
  })
  return { terms, joins: joins.text }

  function termOf({ by, descending: isDescending }: Ordering): Order['terms'][number] {
    const descending = isDescending !== backward
    if ('steps' in by) {
      const { expression, nullable } = joins.follow(by)
      return { descending, nullable, write: () => expression }
    }
    if ('wire' in by) return { descending, nullable: by.nullable, write: () => columnName(model, by), column: by }
    const write = (bound: Bound) => {
      const { text, values } = renderExpression(database, by, bound.values.length)
      bound.values.push(...values)
      return text
    }
    return { descending, nullable: true, write }
  }
}

interface Part {
  readonly window: RowWindow | undefined
  readonly condition?: ((bound: Bound) => string) | undefined
  readonly positions?: boolean
}

function select(
  set: RowsOf,
  projection: Projection,
  { terms, joins: orderJoins }: Order,
  { window, condition, positions = false }: Part,
): Select {
  const { database } = set
  const bound = new Bound(database.dialect)
  const { values } = bound
  // Values stand in the order of the text. A page's joins come after its limit; other joins come before the conditions.
  const expressions = renderExpressions(database, projection, 0)
  values.push(...expressions.values)
  const order = terms.map(({ column, write, descending, nullable }): OrderTerm => {
    return { expression: column ?? write(bound), descending, nullable }
  })
  const renderJoins = () => {
    const rendered = renderTables(database, projection, values.length)
    values.push(...rendered.values)
    return rendered.texts
  }
  const early = window ? undefined : renderJoins()
  const scope = set.condition(values.length)
  values.push(...scope.values)
  const where = [scope.text, condition?.(bound)].filter(text => text !== undefined).join(' and ') || undefined
  const limitAt = window ? values.length + 1 : undefined
  const deepLimit = window && hasKey(set.model) && isDeep(order, window) ? window.limit : undefined
  if (window) values.push(...(deepLimit === undefined ? [window.limit] : []), window.offset)
  const rendered = { expressions: expressions.texts, tables: early ?? renderJoins() }
  const part = positions ? 'slice' : window ? `page ${deepLimit ?? ''}` : 'all'
  const shape = `rows ${projection.id} ${part} ${order.map(termKey).join()}${orderJoins} ${where ?? ''} ${rendered.tables.join()}`
  const statement = database.statement(shape, () =>
    compilePart(database.dialect, { projection, where, order, orderJoins, limitAt, deepLimit, positions, rendered }),
  )
  return { statement, values }
}

/** Its closure stays in the cache with the statement, so it holds no values of the request. */
function compilePart(dialect: Dialect, shape: SelectShape): CompiledStatement {
  const { projection, where, orderJoins, limitAt, deepLimit } = shape
  const text = compileSelect(dialect, shape)
  if (limitAt === undefined || deepLimit !== undefined || orderJoins) return { text }
  const withCondition = (condition: string) => {
    return compileSelect(dialect, { ...shape, where: where === undefined ? condition : `${condition} and ${where}` })
  }
  return { text, scan: { table: projection.model.name, limitAt, hasCondition: where !== undefined, withCondition } }
}

function termKey({ expression, descending }: OrderTerm): string {
  const text = typeof expression === 'string' ? expression : quoteName(expression.name)
  return descending ? `-${text}` : text
}

/**
 * The joins of an ordering by paths, one for each foreign key.
 *
 * A foreign key that is never null always finds its row, so it is an inner join. An outer join would keep the database
 * from starting with the other table and its index. A page of 171,000 cities by country then takes 60 ms instead of 0.4
 * ms.
 */
class PathJoins {
  readonly #root: ModelInfo
  readonly #aliases = new Map<string, string>()
  text = ''

  constructor(root: ModelInfo) {
    this.#root = root
  }

  follow({ steps, column }: ColumnPath): { readonly expression: string; readonly nullable: boolean } {
    let name = tableName(this.#root)
    let way = ''
    let isOptional = false
    for (const { foreignKey, model, target } of steps) {
      // After an outer join, an inner join would drop rows.
      isOptional ||= foreignKey.nullable
      way += `${foreignKey.name}.`
      let alias = this.#aliases.get(way)
      if (alias === undefined) {
        alias = quoteName(`_join_${this.#aliases.size}`)
        this.#aliases.set(way, alias)
        const on = `${alias}.${quoteName(target.name)} = ${name}.${quoteName(foreignKey.name)}`
        this.text += ` ${isOptional ? 'left join' : 'join'} ${tableName(model)} as ${alias} on ${on}`
      }
      name = alias
    }
    return { expression: `${name}.${quoteName(column.name)}`, nullable: isOptional || column.nullable }
  }
}
