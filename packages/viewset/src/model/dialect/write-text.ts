/** The name of the rows that a statement carries. No table or field has this name. */
export const ROWS = '"viewset:rows"'

/**
 * The parts of a statement that writes. Each function binds its values when it is called. So a dialect calls each
 * function once, in the order of the text.
 */
interface WriteText {
  readonly table: string
  /** The values to return of written rows: columns, or reads of rows that they refer to. */
  readonly returning: readonly string[]
}

/** The parts of an INSERT. */
export interface InsertText extends WriteText {
  readonly columns: readonly string[]
  values(): readonly string[]
  /** A `select` of the rows that the statement carries, named {@link ROWS}. Without it, the INSERT has one row. */
  readonly rows?: () => string
  /** The condition for storing a single row. */
  readonly where?: () => string
}

/** The parts of an update statement. */
export interface UpdateText extends WriteText {
  /** Columns and their new values. */
  set(): readonly (readonly [column: string, value: string])[]
  readonly rows?: () => string
  where(): string
}

/** The parts of a delete statement. */
export interface DeleteText extends WriteText {
  /** `undefined` means all rows. */
  where(): string | undefined
}

interface WriteAllText {
  readonly table: string
  rows(): string
}

/** A column of the table, and where {@link ROWS} has its value. */
export interface ColumnOfRows {
  readonly column: string
  readonly row: string
}

/** The parts of a DELETE of all rows or, if one is missing, of none. */
export interface DeleteAllText extends WriteAllText {
  /** The column that identifies the table's rows, and the place of that key in {@link ROWS}. */
  readonly key: ColumnOfRows
  /** Columns that must hold what {@link ROWS} has for them. */
  readonly guards: readonly ColumnOfRows[]
  /** Limits the rows that can be found; `undefined` means all rows. */
  scope(): string | undefined
}

interface ReadText extends WriteAllText {
  conditions(): readonly string[]
  readonly reads: {
    readonly columns: readonly string[]
    select(name: string): string
    returning(): readonly string[]
  }
}

/** The parts of an INSERT of all rows or none. */
export interface InsertAllText extends ReadText {
  readonly columns: readonly string[]
  values(): readonly string[]
}

/** The parts of an UPDATE of all rows or none. It finds the rows as a DELETE does. */
export interface UpdateAllText extends ReadText, DeleteAllText {
  set(): readonly (readonly [column: string, value: string])[]
}

/** SQL of writes in a single statement. */
export interface WriteAllSpelling {
  insert(text: InsertAllText): string
  update(text: UpdateAllText): string
  /** Returns no rows; its row count is the number of deleted rows. */
  delete(text: DeleteAllText): string
}

/** SQL of writes. */
export interface WriteSpelling {
  insert(text: InsertText): string
  update(text: UpdateText): string
  delete(text: DeleteText): string
  readonly all?: WriteAllSpelling
}

/** Write statements as PostgreSQL and SQLite spell them. */
export const writeSpelling: WriteSpelling = {
  insert: text => insertText(text, () => fromRows(text)),
  update: text => updateText(text, () => fromRows(text)),
  delete: ({ table, where, returning }) => {
    const condition = where()
    const matching = condition === undefined ? '' : ` where ${condition}`
    return `delete from ${table}${matching}${returningClause(returning)}`
  },
}

function fromRows({ rows }: Pick<InsertText, 'rows'>): string {
  return rows ? ` from (${rows()}) as ${ROWS}` : ''
}

export function insertText(
  { table, columns, values, where, returning }: Omit<InsertText, 'rows'>,
  readFrom: () => string,
): string {
  const into = `insert into ${table}`
  const end = returningClause(returning)
  if (columns.length === 0) return `${into} default values${end}`
  const selected = values().join(', ')
  const from = readFrom()
  const condition = where?.()
  const rest = condition ? `${from} where ${condition}` : from
  const source = rest === '' ? `values (${selected})` : `select ${selected}${rest}`
  return `${into} (${columns.join(', ')}) ${source}${end}`
}

export function updateText({ table, set, where, returning }: Omit<UpdateText, 'rows'>, from: () => string): string {
  const assignments = set().map(([column, value]) => `${column} = ${value}`)
  return `update ${table} set ${assignments.join(', ')}${from()} where ${where()}${returningClause(returning)}`
}

function returningClause(columns: readonly string[]): string {
  return columns.length === 0 ? '' : ` returning ${columns.join(', ')}`
}
