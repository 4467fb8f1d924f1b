import type { ColumnInfo, TableInfo } from 'viewset'
import { hasOwnForm, SOFT_DELETE_FIELDS, textForm } from 'viewset/internal'

/** Names of columns with secret values. PostgreSQL's names often have no gaps. */
const SECRET =
  /pass_?wor[dt]|passphrase|passwd|token$|(?:^|_)(?:pwd|secrets?|tokens?|hash|salt|api_?key|private_?key|otp|pin|cvv|credentials?)(?:_|$)/

export interface ChosenFields {
  readonly shown: readonly ColumnInfo[]
  readonly left: readonly { readonly column: ColumnInfo; readonly why: string }[]
  /** Whether a record can be created without the left fields. */
  readonly canCreate: boolean
}

/** Leaves out fields that look like secrets, and fields that clients cannot read. */
export function chooseFields(info: TableInfo): ChosenFields {
  const soft = isSoftDeletable(info)
  const columns = info.columns.filter(({ key }) => !(soft && SOFT_DELETE_FIELDS.has(key)))
  const left = columns.flatMap(column => {
    const why = reasonAgainst(column)
    return why === undefined ? [] : { column, why }
  })
  return {
    shown: columns.filter(column => left.every(other => other.column !== column)),
    left,
    canCreate: left.every(({ column }) => column.nullable || column.hasDefault),
  }
}

/** Whether a delete can keep the row, and a list can omit it. */
export function isSoftDeletable({ byKey }: TableInfo): boolean {
  return byKey.has('deletedAt') && byKey.get('isActive')?.kind === 'boolean'
}

function reasonAgainst(column: ColumnInfo): string | undefined {
  if (SECRET.test(column.wire)) return 'looks like a secret'
  if (column.references?.column && SECRET.test(column.references.column.wire))
    return 'refers to what looks like a secret'
  return isOpaque(column) ? `has a type that only its database reads (${column.sqlType})` : undefined
}

/** Bytes, and types without a Drizzle column or a known text form. */
function isOpaque({ kind, sqlType, column }: ColumnInfo): boolean {
  if (kind !== 'other' || hasOwnForm(column) || textForm(sqlType)) return false
  return ['PgCustomColumn', 'SQLiteCustomColumn', 'SQLiteBlobBuffer'].includes(column.columnType)
}
