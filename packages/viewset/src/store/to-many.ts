import type { Dialect } from '../model/dialect/dialect.ts'
import { quoteName } from '../model/drizzle.ts'
import type { ColumnInfo, ModelInfo, TableInfo } from '../model/model-info.ts'
import type { Database } from './connection/database.ts'
import type { CompiledStatement, Executor, RawRow } from './connection/driver.ts'
import type { Projection, Scope } from './projection.ts'
import { renderProjection, renderScope } from './render-projection.ts'
import { valueSet } from './row-set.ts'
import { columnName, joinRelations, type RenderedProjection, tableName } from './select.ts'

/**
 * A relation from one record to many: through a join table, or by a foreign key of the related model. In the second
 * case, the related model is its own join table.
 */
export interface ToManyRelation {
  readonly wire: string
  readonly model: ModelInfo
  /** The related records that may be linked and unlinked. */
  readonly scope: Scope | undefined
  /** The same with those that are marked as deleted. */
  readonly scopeWithDeleted: Scope | undefined
  /** Whether a list marks the children that it leaves out as deleted. */
  readonly softDelete: boolean
  readonly scopeReads: boolean
  /** The related records that lists show; `undefined` for all that are stored. */
  readonly readScope: Scope | undefined
  readonly ordering: readonly RelatedOrder[]
  readonly limit: number | undefined
  readonly ownerKey: ColumnInfo
  readonly relatedKey: ColumnInfo
  readonly links: TableInfo
  readonly source: ColumnInfo
  /** Without a join table, the column of `relatedKey` itself. */
  readonly target: ColumnInfo
}

export interface RelatedOrder {
  readonly column: ColumnInfo
  readonly descending: boolean
}

export function hasJoinTable({ links, model }: ToManyRelation): boolean {
  return links.table !== model.table
}

/** The alias of the join table, which no relation's path can equal. */
const LINK = '_link_'
const LINK_NAME = quoteName(LINK)

/** Most records in memory for a page, or a batch of a stream. */
const MOST = 100_000

function linked(relation: ToManyRelation): { readonly from: string; readonly source: string } {
  const { model, links, source, target, relatedKey } = relation
  if (!hasJoinTable(relation)) return { from: tableName(model), source: columnName(model, source) }
  const on = `${columnName(model, relatedKey)} = ${LINK_NAME}.${quoteName(target.name)}`
  return {
    from: `${tableName(links)} as ${LINK_NAME} join ${tableName(model)} on ${on}`,
    source: `${LINK_NAME}.${quoteName(source.name)}`,
  }
}

export interface RelatedRows {
  /** Each begins with the value of `ownerKey`, before the projection's values. */
  readonly rows: readonly RawRow[]
  /** The owners that have more records than `rows` has, by the text of their key. */
  readonly truncated: ReadonlySet<string>
}

const NONE: ReadonlySet<string> = new Set()

/**
 * Reads the related records of any number of owners with one statement. If all lists together are longer than memory
 * should hold, a second statement reads the first records of each list.
 */
export async function readRelated(
  database: Database,
  executor: Executor,
  relation: ToManyRelation,
  projection: Projection,
  ownerKeys: readonly unknown[],
): Promise<RelatedRows> {
  const rows = await selectRelated(database, executor, relation, projection, ownerKeys)
  if (rows.length <= MOST) return { rows, truncated: NONE }
  // A power of two, so that the number of owners does not make a statement of its own.
  const read = Math.max(2, 2 ** Math.floor(Math.log2(MOST / ownerKeys.length)))
  const limit = Math.min(read, relation.limit ?? read)
  const counts = new Map<string, number>()
  const truncated = new Set<string>()
  const first = await selectRelated(database, executor, { ...relation, limit }, projection, ownerKeys, Infinity)
  const shown = first.filter(([key]) => {
    const owner = String(key)
    const count = (counts.get(owner) ?? 0) + 1
    counts.set(owner, count)
    if (count < read) return true
    truncated.add(owner)
    return false
  })
  return { rows: shown, truncated }
}

/**
 * Reads complete lists, for files.
 *
 * @throws Error for lists that are longer than memory should hold
 */
export async function readWholeLists(...given: Parameters<typeof readRelated>): Promise<readonly RawRow[]> {
  const rows = await selectRelated(...given)
  if (rows.length <= MOST) return rows
  const [, , { wire, model }] = given
  throw new Error(
    `"${wire}" has more than ${MOST} records of "${model.name}" for one part of a file; give it a limit, or make it a resource of its own.`,
  )
}

async function selectRelated(
  database: Database,
  executor: Executor,
  relation: ToManyRelation,
  projection: Projection,
  ownerKeys: readonly unknown[],
  most = MOST,
): Promise<readonly RawRow[]> {
  if (ownerKeys.length === 0) return []
  const { dialect } = database
  const { ordering, source, limit, wire } = relation
  const rendered = renderProjection(database, projection)
  const keysAt = rendered.values.length + 1
  const keys = valueSet(dialect, source, ownerKeys)
  const scopeAt = rendered.values.length + keys.length
  const scope = relation.readScope && renderScope(database, relation.readScope, scopeAt)
  const order = ordering.map(({ column, descending }) => `${descending}${column.name}`)
  const shape = `related ${wire} ${limit} ${most} ${relation.links.id}.${source.name}.${relation.target.name} ${projection.id} ${order} ${scope?.text ?? ''} ${rendered.tables.join()}`
  const statement = database.statement(shape, () =>
    compileRelated(dialect, relation, { projection, rendered, keysAt, scope: scope?.text, most }),
  )
  const { rows } = await executor.run(statement, [...rendered.values, ...keys, ...(scope?.values ?? [])])
  return rows
}

interface RelatedShape {
  readonly projection: Projection
  readonly rendered: RenderedProjection
  /** Position of the owners' keys among the values. */
  readonly keysAt: number
  readonly scope: string | undefined
  /** Most rows of all lists. */
  readonly most: number
}

function compileRelated(
  dialect: Dialect,
  relation: ToManyRelation,
  { projection, rendered: { expressions, tables }, keysAt, scope, most }: RelatedShape,
): CompiledStatement {
  const { model, ordering, source, limit } = relation
  const { from, source: owner } = linked(relation)
  const { selected, joins } = joinRelations(projection, tableName(model), { expressions, tables })
  const wanted = `${owner} in (${dialect.selectRowSet([source], keysAt)})${scope === undefined ? '' : ` and ${scope}`}`
  const terms = ordering.map(({ column, descending }) =>
    dialect.orderBy(columnName(model, column), descending, column.nullable),
  )
  const orderBy = `order by ${terms.join(', ')}`
  const selectWhere = (where: string) =>
    `select ${[owner, ...selected].join(', ')} from ${from}${joins} where ${where} ${orderBy}${Number.isFinite(most) ? ` limit ${most + 1}` : ''}`
  if (limit === undefined) {
    const withCondition = (condition: string) => selectWhere(`${condition} and ${wanted}`)
    const table = hasJoinTable(relation) ? LINK : model.name
    return { text: selectWhere(wanted), scan: { table, limitAt: undefined, hasCondition: true, withCondition } }
  }
  const key = columnName(model, model.primaryKey)
  const ranked = `select ${owner} as _owner, ${key} as _key, row_number() over (partition by ${owner} ${orderBy}) as _rank from ${from} where ${wanted}`
  return {
    text: selectWhere(
      `(${owner}, ${key}) in (select _owner, _key from (${ranked}) as _ranked where _rank <= ${limit})`,
    ),
  }
}

export interface Link {
  readonly source: unknown
  readonly target: unknown
}

/** The links of owners to related records in the relation's scope. Others must not be changed. */
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
