import type { ColumnInfo } from '../../model/model-info.ts'
import type { QuerySet } from '../../store/queryset.ts'
import type { Values } from '../../store/write/write.ts'
import type { SubmittedItem, ValidatedItem } from '../item.ts'
import type { ModelSerializer } from '../model-serializer.ts'
import { isObject } from './relation-schema.ts'

/** A stored record that the request deletes. */
export interface LeavingRecord {
  readonly record: Values
  /** The item whose list leaves it out, or that of a record around it. */
  readonly owner: ValidatedItem
  /** Whether its row stays, marked as deleted. */
  readonly isKept: boolean
}

/** How the records that a relation field writes are validated. */
export interface RelatedRecords {
  /** `leaving` are stored records that the request deletes: their unique values count as free. */
  validate(
    serializer: ModelSerializer,
    items: readonly SubmittedItem[],
    leaving?: readonly LeavingRecord[],
  ): Promise<readonly ValidatedItem[]>
  /** Whether the application has given an item the value of a field. Such a value is a key, and no form of a client. */
  isFixed(entry: ValidatedItem, key: string): boolean
  /** The records of the resource's own model which the request may read and delete: also as parents or children. */
  visible(serializer: ModelSerializer): Promise<QuerySet> | undefined
  /** Whether a new record must be one of these. */
  readonly checkCreated: boolean
  /** The owners, by their values in a column, from which this request may not take a record. @throws PermissionDenied */
  closedOwners(column: ColumnInfo, keys: readonly unknown[]): Promise<readonly unknown[]>
  /** Stored records of the same model that the request deletes, with all that belongs to them. */
  readonly leaving: readonly LeavingRecord[]
}

/** The value that an object has for a column. */
export function keyGiven(input: unknown, { wire }: ColumnInfo): unknown {
  return isObject(input) && Object.hasOwn(input, wire) ? input[wire] : undefined
}

/** Whether clients choose the primary key, such as a code. Then a key can name a new record. */
export function choosesKey(serializer: ModelSerializer): boolean {
  const { info, fields } = serializer
  return fields.some(field => field.kind === 'stored' && field.column === info.primaryKey && !field.readOnly)
}
