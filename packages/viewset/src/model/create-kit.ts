import { type Column, getTableColumns, getTableName, type SQL, sql, type Table } from 'drizzle-orm'
import { ConfigError } from '../core/errors.ts'
import { columnKind } from './column-kind.ts'
import { kindFrom } from './define-kind.ts'
import type { Dialect } from './dialect/dialect.ts'
import { madeBy } from './dialect/dialects.ts'
import { columnNameOf, nameColumns, namedAsRelation, notedKind, noteKind } from './drizzle-columns.ts'
import { jobTables } from './job-tables.ts'
import type { ColumnKit, OwnKind, ReferenceAction, TableConstraint } from './kit.ts'
import { type ColumnBuilders, kitColumns, letterCaseOf } from './kit-columns.ts'
import { quoteText } from './literal-default.ts'
import { mixinColumns } from './mixins.ts'
import { noteSearchColumns } from './search-columns.ts'

/** A column builder of either dialect: the methods that a kit itself calls. */
interface Builder {
  references(target: () => Column, actions?: { readonly onDelete?: ReferenceAction }): Builder
}

interface ConstraintBuilder {
  on(...columns: readonly object[]): object
}

/** What a dialect brings to its kit: its builders, under one set of names. */
export interface KitParts {
  readonly dialect: Dialect
  /** The database's own clock, for rows that are inserted behind the application's back. */
  readonly now: SQL
  table(name: string, columns: never, constraints: never): object
  check(name: string, condition: SQL): object
  unique(name: string): { on: unknown }
  uniqueIndex(name: string): { on: unknown }
  index(name: string): { on: unknown }
  /** An index that finds a text in these expressions; `undefined` where none of the builders makes one. */
  searchIndex(name: string, folded: readonly SQL[]): object | undefined
  readonly columns: ColumnBuilders
}

/** Makes the {@link ColumnKit} of a dialect from its Drizzle builders. */
export function createKit({ dialect, now, columns: ownColumns, ...parts }: KitParts): ColumnKit {
  const { enumeration: enumerated, ...columns } = kitColumns(dialect, ownColumns)
  /** The allowed values of enumeration columns, until their table is known and can have the check. */
  const enumerations = new WeakMap<object, readonly string[]>()

  const enumeration = (values: readonly [string, ...string[]]) => {
    const builder = enumerated(values)
    enumerations.set(builder, values)
    return builder
  }

  const table = (
    name: string,
    builders: Readonly<Record<string, object>>,
    constraints?: (columns: Record<string, Column>) => readonly TableConstraint[],
  ) => {
    nameColumns(builders)
    // The columns that constraints are given know only their names.
    const builderOf = ({ name: own }: { readonly name: string }) =>
      Object.values(builders).find(builder => columnNameOf(builder) === own)
    const extras = (own: Record<string, Column>) => [
      ...Object.entries(builders).flatMap(([key, builder]) => {
        const values = enumerations.get(builder)
        const column = own[key]
        return values && column ? [parts.check(`${name}_${column.name}_check`, isOneOf(column, values))] : []
      }),
      ...(constraints?.(own) ?? []).flatMap(({ type, columns: covered }) => {
        const suffix = type === 'index' || type === 'search' ? type : 'unique'
        const constraint = `${name}_${covered.map(column => column.name).join('_')}_${suffix}`
        if (type === 'unique' || type === 'index') {
          return [(parts[type](constraint) as ConstraintBuilder).on(...covered)]
        }
        const folded = covered.map(column => {
          const letterCase = letterCaseOf(builderOf(column))
          return letterCase === '' ? sql`lower(${column})` : sql`lower(${column}${sql.raw(letterCase)})`
        })
        if (type === 'uniqueIgnoringCase') return [(parts.uniqueIndex(constraint) as ConstraintBuilder).on(...folded)]
        refuseOtherThanText(name, covered.map(builderOf))
        noteSearchColumns(
          built as Table,
          covered.map(column => column.name),
        )
        return parts.searchIndex(constraint, folded) ?? []
      }),
    ]
    // Each database's own `table` takes its own builders, which this code for both cannot name.
    const built = parts.table(name, builders as never, extras as never)
    for (const builder of Object.values(builders)) selfReferences.get(builder)?.(built as Table)
    madeBy(dialect, built as Table)
    return built
  }

  /** Foreign keys to the table being defined wait here for it. */
  const selfReferences = new WeakMap<object, (table: Table) => void>()

  const foreignKey = (target: Table | 'self', options: { readonly onDelete?: ReferenceAction } = {}) => {
    if (target === 'self') {
      let self: Table | undefined
      const builder = (columns.uuid() as Builder).references(() => primaryKeyOf(self as Table), options)
      selfReferences.set(builder, built => {
        self = built
      })
      return namedAsRelation(builder)
    }
    const key = primaryKeyOf(target)
    const info = columnKind(key)
    const { kind, length, ownKind } = info
    if (kind !== 'uuid' && kind !== 'integer' && kind !== 'bigint' && kind !== 'text') {
      throw new ConfigError(getTableName(target), 'foreignKey', `a ${kind} primary key cannot be referred to by a kit`)
    }
    const builder = kind === 'text' ? columns.text(length) : columns[kind]()
    // What a key of an application's own kind may look like, it may look like here.
    if (ownKind) noteKind(builder, info)
    return namedAsRelation((builder as Builder).references(() => key, options))
  }

  const ownKinded = <T>(own: OwnKind<T>) => {
    const builder: object = own.column(portable)
    const info = notedKind(builder)
    if (!info)
      throw new ConfigError(`defineKind('${own.name}')`, 'column', 'must be a column of the kit that it is given')
    return noteKind(builder, { ...info, ownKind: kindFrom(own, info) })
  }

  const kit = {
    ...columns,
    kind: ownKinded,
    dialect: dialect.name,
    table,
    enumeration,
    foreignKey,
    unique: (...covered: readonly Column[]): TableConstraint => ({ type: 'unique', columns: covered }),
    uniqueIgnoringCase: (column: Column): TableConstraint => ({ type: 'uniqueIgnoringCase', columns: [column] }),
    index: (...covered: readonly Column[]): TableConstraint => ({ type: 'index', columns: covered }),
    searchIndex: (...covered: readonly Column[]): TableConstraint => ({ type: 'search', columns: covered }),
  }
  // Each dialect's builders are its own classes. ColumnKit promises one set of types for all of them (the reason is
  // told there), so this is the one place where the types are asserted rather than derived.
  const portable = kit as unknown as ColumnKit
  return Object.assign(portable, mixinColumns(portable, now), { JobTables: () => jobTables(portable) })
}

function primaryKeyOf(table: Table): Column {
  const key = Object.values(getTableColumns(table)).find(column => column.primary)
  if (!key) throw new ConfigError(getTableName(table), 'foreignKey', 'the table has no single-column primary key')
  return key
}

function refuseOtherThanText(table: string, builders: readonly (object | undefined)[]): void {
  const other = builders.find(builder => !builder || notedKind(builder)?.kind !== 'text')
  if (!other) return
  throw new ConfigError(table, 'searchIndex', `"${columnNameOf(other)}" holds no text; only text can be searched`)
}

function isOneOf(column: Column, values: readonly string[]): SQL {
  const literals = values.map(value => sql.raw(quoteText(value)))
  return sql`${column} in (${sql.join(literals, sql`, `)})`
}
