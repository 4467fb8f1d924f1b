import { and, type SQL, sql } from 'drizzle-orm'
import { wireName } from '../core/wire-names.ts'
import type { StoredValue } from '../model/dialect/dialect.ts'
import type { ExpressionField, ManyField } from '../serializer/fields.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import { hasJoinTable, type ToManyRelation } from '../store/to-many.ts'
import type { FilterContext } from './filter-backend.ts'
import { pathCondition, type ScopedPath, scopedPath } from './path-condition.ts'

/** What a request may filter by: a column, a path to one, an expression, or a relation to many. */
export interface FilterPath {
  /** The path in JSON: `country__name`. */
  readonly wire: string
  /** The values that it leads to. */
  readonly value: StoredValue
  /** The path through foreign keys; `undefined` for an expression and for a relation to many. */
  readonly columns: ScopedPath | undefined
  /** The number of further tables that a condition reads. */
  readonly tables: number
  /**
   * A condition on the value, as a condition on the rows of the resource. For a condition about the presence of a value,
   * `missing` is set: `true` also matches rows that lead nowhere.
   */
  condition(condition: (value: SQL) => SQL, missing?: boolean): SQL
}

/**
 * Follows a path of `filterFields`. It leads through foreign keys (`country__name`), to an expression of the serializer,
 * or through one of its relations to many (`tags__label`). There a condition means "has one that".
 *
 * Records outside of a relation field's queryset do not match.
 *
 * @throws ConfigError with the part that does not exist.
 */
export function filterPath(context: FilterContext, setting: string, path: string): FilterPath {
  const [first = '', ...rest] = path.split('__')
  const field = context.model.byKey.has(first) ? undefined : context.serializer.fields.find(({ key }) => key === first)
  if (field?.kind === 'expression' && rest.length === 0) return expressionPath(field)
  if (field?.kind === 'many') return manyPath(context, setting, field, rest)
  const columns = scopedPath(context, setting, path)
  return {
    wire: columns.wire,
    value: columns.column,
    columns,
    tables: columns.steps.length,
    condition: (condition, missing) => pathCondition(columns, condition, missing),
  }
}

function expressionPath({ expression, value, wire }: ExpressionField): FilterPath {
  const inBrackets = sql`(${expression})`
  return { wire, value, columns: undefined, tables: 1, condition: condition => condition(inBrackets) }
}

/** The rows that have a related record which meets a condition. */
function manyPath(context: FilterContext, setting: string, field: ManyField, rest: readonly string[]): FilterPath {
  const { relation, serializer } = field
  const { relatedKey, ownerKey } = relation
  const tables = hasJoinTable(relation) ? 2 : 1
  if (rest.length === 0) {
    return {
      wire: field.wire,
      value: relatedKey,
      columns: undefined,
      tables,
      condition: (condition, missing) => {
        const key = sql`${relatedKey.column}`
        // "Is missing" asks for rows without any related record.
        if (missing === true) return sql`(${isLinked(relation, ownerKey.column, undefined)} is not true)`
        return isLinked(relation, ownerKey.column, missing === false ? undefined : condition(key))
      },
    }
  }
  const related = filterPath(relatedContext(context, relation, serializer), setting, rest.join('__'))
  return {
    wire: `${wireName(field.key)}__${related.wire}`,
    value: related.value,
    columns: undefined,
    tables: tables + related.tables,
    condition: (condition, missing) => isLinked(relation, ownerKey.column, related.condition(condition, missing)),
  }
}

function relatedContext(
  context: FilterContext,
  { model }: ToManyRelation,
  serializer: ModelSerializer | undefined,
): FilterContext {
  // Without a serializer, the relation shows only keys or texts: all columns can be reached, as through a foreign key.
  return { ...context, model, serializer: serializer ?? { ...context.serializer, info: model, fields: [] } }
}

/** Whether a row has a related record that meets `where`. */
function isLinked(relation: ToManyRelation, owner: unknown, where: SQL | undefined): SQL {
  const { model, links, source, target, relatedKey } = relation
  const met = and(where, relation.scope?.())
  if (!hasJoinTable(relation)) {
    const rows = and(sql`${source.column} is not null`, met)
    return sql`${owner} in (select ${source.column} from ${model.table} where ${rows})`
  }
  const isMet = met && sql`${target.column} in (select ${relatedKey.column} from ${model.table} where ${met})`
  const rows = and(sql`${source.column} is not null`, isMet)
  return sql`${owner} in (select ${source.column} from ${links.table} where ${rows})`
}
