import { type Column, ColumnBuilder, getTableColumns, getTableName, is, type SQL, sql, Table } from 'drizzle-orm'
import { CIRCULAR_IMPORT, shown } from '../core/config-error.ts'
import { ConfigError } from '../core/errors.ts'
import { Message } from '../core/messages/message.ts'
import { checkOptions, setting } from '../core/setting-rules.ts'
import { suggestion } from '../core/suggestion.ts'
import { columnKind } from './column-kind.ts'
import { kindFrom } from './define-kind.ts'
import { madeBy } from './dialect/dialects.ts'
import { nameColumns, namedAsRelation, notedKind, noteKind } from './drizzle-columns.ts'
import { type HistoryOptions, keepHistory } from './history.ts'
import type {
  ColumnKit,
  ForeignKeyOptions,
  NamedConstraintOptions,
  OwnKind,
  ReferenceAction,
  TableConstraint,
  TableExtra,
  UniqueOptions,
} from './kit.ts'
import { beginsIndex, buildExtra, columnsOfExtra, type KitParts, kitColumns, quoteText } from './kit-columns.ts'
import { mixinColumns } from './mixins.ts'
import type { NamedConstraint } from './named-constraint.ts'
import { cascadeSoftDelete } from './soft-cascades.ts'
import { historyTable } from './tables/history-tables.ts'
import { idempotencyTables } from './tables/idempotency-tables.ts'
import { importMappingTables } from './tables/import-mapping-tables.ts'
import { jobTables } from './tables/job-tables.ts'

interface Builder {
  references(target: () => Column, actions?: ReferenceOptions): Builder
}

interface ReferenceOptions {
  readonly onDelete?: ReferenceAction
}

/** Makes the {@link ColumnKit} of a dialect from its Drizzle builders. */
export function createKit({ dialect, now, columns: ownColumns, ...parts }: KitParts): ColumnKit {
  const { enumeration: enumerated, ...columns } = kitColumns(dialect, ownColumns)
  /** The values of enumeration columns, until their table exists and can have the check constraint. */
  const enumerations = new WeakMap<object, readonly string[]>()

  const enumeration = (values: readonly [string, ...string[]]) => {
    const builder = enumerated(values)
    enumerations.set(builder, values)
    return builder
  }

  const table = (
    name: string,
    builders: Readonly<Record<string, object>>,
    constraints?: (columns: Record<string, Column>) => readonly TableExtra[],
  ) => {
    for (const [key, builder] of Object.entries(builders)) checkColumn(kit, name, key, builder)
    nameColumns(builders)
    const extras = (tableColumns: Record<string, Column>) => {
      const declared = constraints ? declaredOf(name, tableColumns, constraints) : []
      const columnsOf = Object.entries(builders).map(([key, builder]) => ({
        builder,
        column: tableColumns[key] as Column,
      }))
      return [
        ...columnsOf.flatMap(({ builder, column }) => {
          const values = enumerations.get(builder)
          return values ? [parts.check(`${name}_${column.name}_check`, isOneOf(column, values))] : []
        }),
        ...columnsOf
          .filter(({ builder, column }) => indexed.has(builder) && !beginsIndex(column, declared))
          .map(({ column }) => buildExtra(parts, built as Table, builders, { type: 'index', columns: [column] })),
        ...declared.map(extra => buildExtra(parts, built as Table, builders, extra)),
      ].filter(extra => extra !== undefined)
    }
    // Each database's `table` takes its own builders, which code for both cannot name.
    const built = parts.table(name, builders as never, extras as never)
    for (const builder of Object.values(builders)) selfReferences.get(builder)?.(built as Table)
    for (const [key, builder] of Object.entries(builders)) {
      const target = softDeleted.get(builder)
      if (target) cascadeSoftDelete(target === 'self' ? (built as Table) : target, built as Table, key)
    }
    madeBy(dialect, built as Table)
    return built
  }

  const indexed = new WeakSet<object>()
  /** Foreign keys whose rows follow a soft delete. */
  const softDeleted = new WeakMap<object, Table | 'self'>()

  /** Foreign keys to the table being defined, which wait for it. */
  const selfReferences = new WeakMap<object, (table: Table) => void>()

  const foreignKey = (target: Table | 'self', options: ForeignKeyOptions = {}) => {
    checkOptions('foreignKey', FOREIGN_KEY, options)
    const { index = true, onSoftDelete, ...reference } = options
    const builder = referring(target, reference)
    if (index) indexed.add(builder)
    if (onSoftDelete === 'cascade') softDeleted.set(builder, target)
    return builder
  }

  const referring = (target: Table | 'self', options: ReferenceOptions) => {
    if (target !== 'self' && !is(target, Table)) {
      const remedy = target === undefined ? `; ${CIRCULAR_IMPORT}, or write 'self' for the table itself` : ''
      throw new ConfigError('kit', 'foreignKey', `must be a table or 'self', not ${shown(target)}${remedy}`)
    }
    if (target === 'self') {
      let self: Table | undefined
      const builder = (columns.uuid() as Builder).references(() => primaryKeyOf(self as Table), options)
      selfReferences.set(builder, built => {
        const { kind } = columnKind(primaryKeyOf(built))
        if (kind !== 'uuid') {
          const problem = `'self' refers to a uuid, but the primary key is ${kind}; choose c.uuid().primaryKey()`
          throw new ConfigError(getTableName(built), 'foreignKey', problem)
        }
        self = built
      })
      return namedAsRelation(builder)
    }
    const key = primaryKeyOf(target)
    const { collation: _, ...info } = columnKind(key)
    const { kind, length, ownKind } = info
    if (kind !== 'uuid' && kind !== 'integer' && kind !== 'bigint' && kind !== 'text') {
      throw new ConfigError(getTableName(target), 'foreignKey', `a ${kind} primary key cannot be referred to by a kit`)
    }
    const builder = kind === 'text' ? columns.text(length) : columns[kind]()
    // Keys of text or of a custom kind follow the rules of the key that they refer to.
    if (kind === 'text' || ownKind) noteKind(builder, info)
    return namedAsRelation((builder as Builder).references(() => key, options))
  }

  const ofCustomKind = <T>(customKind: OwnKind<T>) => {
    const builder: object = customKind.column(portable)
    const info = notedKind(builder)
    if (!info)
      throw new ConfigError(
        `defineKind('${customKind.name}')`,
        'column',
        'must be a column of the kit that it is given',
      )
    return noteKind(builder, { ...info, ownKind: kindFrom(customKind, info) })
  }

  const kit = {
    ...columns,
    kind: ofCustomKind,
    dialect: dialect.name,
    table,
    enumeration,
    foreignKey,
    unique: (...given: ConstraintArguments): TableConstraint => overColumns('unique', given),
    uniqueIgnoringCase: (column: Column): TableConstraint => ({ type: 'uniqueIgnoringCase', columns: [column] }),
    primaryKey: (...parts: readonly Column[]): TableConstraint => ({ type: 'primaryKey', columns: parts }),
    index: (...given: ConstraintArguments): TableConstraint => overColumns('index', given),
    searchIndex: (...covered: readonly Column[]): TableConstraint => ({ type: 'search', columns: covered }),
    constraint: namedConstraint,
  }
  const counter = () => ownColumns.counter?.() ?? (columns.integer() as { primaryKey(): object }).primaryKey()
  // Each dialect's builders are its own classes, and ColumnKit promises one set of types for all of them. This is the
  // only place where the types are asserted.
  const portable = kit as unknown as ColumnKit
  return Object.assign(portable, mixinColumns(portable, now), {
    JobTables: () => jobTables(portable),
    IdempotencyTable: () => idempotencyTables(portable),
    ImportMappingTable: () => importMappingTables(portable),
    HistoryTable: (model: Table, options?: HistoryOptions) => {
      if (!is(model, Table))
        throw new ConfigError('HistoryTable', 'model', `must be a table, not ${shown(model)}; ${CIRCULAR_IMPORT}`)
      const name = getTableName(model)
      const made = historyTable(
        { ...portable, counter: counter as Parameters<typeof historyTable>[0]['counter'] },
        name,
      )
      keepHistory(model, made, options)
      return { [`${camelCase(name)}History`]: made }
    },
  })
}

/** @throws ConfigError for a function of the kit that was not called, and for anything else that is no column */
function checkColumn(kit: object, table: string, key: string, builder: unknown): void {
  if (is(builder, ColumnBuilder)) return
  const uncalled = Object.entries(kit).find(([, part]) => part === builder)?.[0]
  const remedy = uncalled === undefined ? 'make it with the column kit' : `call the function: c.${uncalled}(...)`
  throw new ConfigError(table, key, `must be a column, not ${shown(builder)}; ${remedy}`)
}

/**
 * The constraints that a table declares over its columns.
 *
 * @throws ConfigError for a column that the table does not have
 */
function declaredOf(
  table: string,
  columns: Record<string, Column>,
  constraints: (columns: Record<string, Column>) => readonly TableExtra[],
): readonly TableExtra[] {
  const missing: string[] = []
  const watched = new Proxy(columns, {
    get(target, key) {
      if (typeof key === 'string' && !Object.hasOwn(target, key)) missing.push(key)
      return Reflect.get(target, key)
    },
  })
  const refuse = () => {
    const [name] = missing
    const problem =
      name === undefined ? 'need a column each' : `unknown field "${name}"${suggestion(name, Object.keys(columns))}`
    return new ConfigError(table, 'constraints', problem)
  }
  try {
    const declared = constraints(watched) ?? []
    if (declared.some(extra => columnsOfExtra(extra).includes(undefined))) throw refuse()
    return declared
  } catch (error) {
    // Drizzle's builders read the column that they get.
    throw error instanceof TypeError && missing.length > 0 ? refuse() : error
  }
}

const FOREIGN_KEY = {
  onDelete: setting.oneOf('cascade', 'restrict', 'set null', 'set default', 'no action'),
  onSoftDelete: setting.oneOf('cascade'),
  index: setting.boolean,
}

function primaryKeyOf(table: Table): Column {
  const key = Object.values(getTableColumns(table)).find(column => column.primary)
  if (!key) throw new ConfigError(getTableName(table), 'foreignKey', 'the table has no single-column primary key')
  return key
}

/** The columns one by one, or as a list with options. */
type ConstraintArguments = readonly Column[] | readonly [columns: readonly Column[], options?: UniqueOptions]

function overColumns(type: 'unique' | 'index', [first, ...others]: ConstraintArguments): TableConstraint {
  if (!Array.isArray(first)) return { type, columns: [first as Column, ...(others as readonly Column[])] }
  const [options = {}] = others as readonly UniqueOptions[]
  checkOptions(type, { where: setting.object }, options)
  return { type, columns: first, where: options.where }
}

function namedConstraint(name: string, options: NamedConstraintOptions): NamedConstraint {
  checkOptions('constraint', NAMED_CONSTRAINT, options)
  const { column, message } = options
  if (typeof message !== 'string' && !(message instanceof Message)) {
    throw new ConfigError('constraint', 'message', `must be a sentence, not ${shown(message)}`)
  }
  return { type: 'named', name, column, message }
}

const NAMED_CONSTRAINT = { column: setting.object, message: setting.any }

function isOneOf(column: Column, values: readonly string[]): SQL {
  const literals = values.map(value => sql.raw(quoteText(value)))
  return sql`${column} in (${sql.join(literals, sql`, `)})`
}

/** `order_lines` as the name of a table in code: `orderLines`. */
function camelCase(name: string): string {
  return name.replace(/_+([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase())
}
