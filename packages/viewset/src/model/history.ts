import type { Table } from 'drizzle-orm'
import { currentContext, type User } from '../core/context.ts'
import { ConfigError } from '../core/errors.ts'
import { checkOptions, rule, setting } from '../core/setting-rules.ts'
import { suggestion } from '../core/suggestion.ts'
import { type ColumnInfo, type ModelInfo, modelInfo, type TableInfo, tableInfo } from './model-info.ts'
import type { HistoryTable } from './tables/history-tables.ts'

/** Options of a model's history. Fields have their names in code; `P` are foreign keys. */
export interface HistoryOptions<F extends string = string, P extends string = F> {
  /** Fields whose changes are no change of the record, such as a counter of views. */
  readonly ignore?: readonly F[]
  /** Fields of which only is stored that they have changed. They cannot be reverted or undone. */
  readonly redact?: readonly F[]
  /** The fields of columns that were renamed, by their old names in the database: `{ titel: 'title' }`. */
  readonly renamed?: Readonly<Record<string, F>>
  /** Relations to many that were renamed, as the names on the wire: `{ tags: 'labels' }`. */
  readonly renamedRelations?: Readonly<Record<string, string>>
  /**
   * Columns and relations that the model no longer has, by their names in the entries, and who may read their old
   * values: `{ price: { readableBy: isOfLaboratory }, note: {} }`.
   */
  readonly dropped?: Readonly<Record<string, DroppedColumn>>
  /**
   * The foreign key to the parent, for children that are written with it. The history of the parent then has their
   * entries as well: `{ parent: 'order' }` for the lines of an order.
   */
  readonly parent?: P
}

/** A column that a table no longer has. */
export interface DroppedColumn {
  /** Who may read its old values. Without it, no user. */
  readonly readableBy?: (user: User | null) => boolean
}

/** The history of a model. */
export interface History {
  readonly model: ModelInfo
  readonly table: HistoryTable
  readonly info: TableInfo
  readonly options: HistoryOptions
}

/** The keys to which the links of relations to many refer, by the table of their records and their names in entries. */
const linkKeys = new WeakMap<Table, Map<string, ColumnInfo>>()
const NO_LINKS: ReadonlyMap<string, ColumnInfo> = new Map()

/** Notes a relation of any serializer, so that the histories of others do not take its name for a dropped column. */
export function noteLinks(model: Table, name: string, key: ColumnInfo): void {
  const known = linkKeys.get(model) ?? new Map<string, ColumnInfo>()
  linkKeys.set(model, known.set(name, known.get(name) ?? key))
}

/** The relations to many of a model that have entries: the keys of the related records, by the names in entries. */
export function linksOf(model: Table): ReadonlyMap<string, ColumnInfo> {
  return linkKeys.get(model) ?? NO_LINKS
}

const histories = new WeakMap<Table, History | (() => History)>()
/** The tables that have a history. */
const kept = new Map<Table, HistoryOptions>()
let isKept = false

/** Whether any model of this process has a history. */
export function keepsHistory(): boolean {
  return isKept
}

export function historyOf(model: Table): History | undefined {
  if (!isKept) return undefined
  const known = histories.get(model)
  if (typeof known !== 'function') return known
  const made = known()
  histories.set(model, made)
  return made
}

/** The history that gets an entry for each write of a model now. */
export function recordedHistory(model: Table): History | undefined {
  return isKept && currentContext().recordsHistory ? historyOf(model) : undefined
}

/** A model with a history whose rows refer to the records of another table. */
export interface Dependent {
  readonly history: History
  /** The foreign key. */
  readonly column: ColumnInfo
}

const NO_DEPENDENTS: readonly Dependent[] = []
let dependents = new WeakMap<Table, readonly Dependent[]>()

/** The models with a history that refer to the primary key of a table. The database may delete or change their rows. */
export function dependentsOf(target: Table): readonly Dependent[] {
  if (!isKept) return NO_DEPENDENTS
  const known = dependents.get(target)
  if (known) return known
  const found = [...kept.keys()].flatMap(model => {
    const keys = modelInfo(model).columns.filter(({ references: to }) => to?.target === target && to.column.primaryKey)
    const history = keys.length > 0 ? historyOf(model) : undefined
    return history ? keys.map(column => ({ history, column })) : []
  })
  dependents.set(target, found)
  return found
}

/** The histories of children whose parents are records of a table. */
export function childHistoriesOf(parent: Table): readonly History[] {
  return [...kept].flatMap(([model, { parent: key }]) => {
    const history = key === undefined ? undefined : historyOf(model)
    const isOfParent = history?.model.byKey.get(key ?? '')?.references?.target === parent
    return history && isOfParent ? [history] : []
  })
}

/** @throws ConfigError for a wrong option */
export function keepHistory(model: Table, table: HistoryTable, options: HistoryOptions = {}): void {
  isKept = true
  kept.set(model, options)
  dependents = new WeakMap()
  checkOptions('HistoryTable', RULES, options)
  // The description of a table reads its foreign keys, whose tables may not exist yet.
  histories.set(model, () => {
    const info = modelInfo(model)
    if (info.key.length !== 1) {
      const problem = 'needs a table with a primary key of one column, whose value its entries keep'
      throw new ConfigError(`HistoryTable(${info.name})`, 'model', problem)
    }
    checkNumbers(info)
    const { ignore = [], redact = [], renamed = {} } = options
    for (const [option, fields] of Object.entries({ ignore, redact, renamed: Object.values(renamed) })) {
      const unknownField = fields.find(field => !info.byKey.has(field))
      if (unknownField === undefined) continue
      const problem = `unknown field "${unknownField}"${suggestion(unknownField, info.byKey.keys())}`
      throw new ConfigError(`HistoryTable(${info.name})`, option, problem)
    }
    if (options.parent !== undefined) checkParent(info, options.parent)
    checkOldNames(info, options)
    return { model: info, table, info: tableInfo(table), options }
  })
}

/** A record would get the history of a deleted one. */
function checkNumbers({ name, primaryKey, dialect }: ModelInfo): void {
  if (!dialect.reusesNumbers?.(primaryKey.column)) return
  const problem = `"${primaryKey.key}" may be given again after a delete; make it .primaryKey({ autoIncrement: true })`
  throw new ConfigError(`HistoryTable(${name})`, 'model', problem)
}

function checkParent({ name, byKey }: ModelInfo, parent: string): void {
  const column = byKey.get(parent)
  if (column?.references) return
  const problem = column
    ? `"${parent}" is no foreign key`
    : `unknown field "${parent}"${suggestion(parent, byKey.keys())}`
  throw new ConfigError(`HistoryTable(${name})`, 'parent', problem)
}

/** An entry does not say which of two columns of one name it means. */
function checkOldNames({ name, columns }: ModelInfo, options: HistoryOptions): void {
  const { renamed = {}, renamedRelations = {}, dropped = {} } = options
  const seen = new Set<string>()
  for (const [option, names] of Object.entries({ renamed, renamedRelations, dropped })) {
    for (const old of Object.keys(names)) {
      const isColumn = columns.some(column => column.name === old)
      if (!isColumn && !seen.has(old)) seen.add(old)
      else {
        const problem = isColumn ? `"${old}" is a column of the table` : `"${old}" is named twice`
        throw new ConfigError(`HistoryTable(${name})`, option, problem)
      }
    }
  }
}

function isDropped(value: unknown): boolean {
  if (!setting.object.accepts(value)) return false
  return Object.values(Object(value)).every(column => {
    if (!setting.object.accepts(column)) return false
    const { readableBy, ...others } = column as DroppedColumn
    return Object.keys(others).length === 0 && (readableBy === undefined || typeof readableBy === 'function')
  })
}

const RULES = {
  ignore: setting.list,
  redact: setting.list,
  renamed: setting.object,
  renamedRelations: setting.object,
  dropped: rule(isDropped, 'must have an object for each name, as in { price: { readableBy: user => ... } }'),
  parent: setting.text,
}
