import type { SQL } from 'drizzle-orm'
import * as z from 'zod'
import { ConfigError, Conflict, PermissionDenied, ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { suggestion } from '../../core/suggestion.ts'
import { readContextOf } from '../../kinds/kind.ts'
import type { Report } from '../../kinds/report-schema.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import { readColumns } from '../../serializer/validate.ts'
import { isSameKey } from '../../store/row-order.ts'
import type { Values } from '../../store/write/write.ts'
import { hiddenFields } from '../reading/hidden-fields.ts'
import { fixedValuesOf, withFixedValues } from '../write/fixed-values.ts'
import { SubmittedChange } from './change.ts'
import { type BulkView, bulkItems } from './items.ts'
import { lockRecords, refuseRepeated } from './submitted-changes.ts'

export interface UpsertKey {
  readonly columns: readonly ColumnInfo[]
  readonly ignoreCase: boolean
  /** The records to search. Default: all. */
  readonly where?: SQL | undefined
}

/** Checks that fields are unique together: otherwise two concurrent requests could create a record twice. */
export function upsertKey(subject: string, model: ModelInfo, fields: readonly string[]): UpsertKey {
  const refuse = (problem: string) => new ConfigError(subject, 'upsertFields', problem)
  if (!Array.isArray(fields)) throw refuse('must be a list of fields')
  const columns = fields.map(field => {
    const column = model.byKey.get(field)
    if (!column) throw refuse(`unknown field "${field}"${suggestion(String(field), model.byKey.keys())}`)
    if (!column.generated) return column
    throw refuse(`"${field}" is computed by the database, so no client can send it; name what it is computed from`)
  })
  const groups: readonly UpsertKey[] = [
    { columns: model.key, ignoreCase: false },
    ...model.uniques,
    ...model.partialUniques,
  ]
  const unique = groups.find(
    group => group.columns.length === columns.length && group.columns.every(column => columns.includes(column)),
  )
  if (unique) return { columns, ignoreCase: unique.ignoreCase, where: unique.where }
  const known = groups.map(group => group.columns.map(column => column.key).join(', ')).join('; ')
  throw refuse(`must be unique in the database; unique are: ${known}`)
}

/**
 * Otherwise the counts of created and updated records would show which values are stored.
 *
 * @throws PermissionDenied if items find their records by a field that the user may not read
 */
export function refuseHidden(view: BulkView, { columns }: UpsertKey): void {
  const hidden = hiddenFields(view)
  if (columns.some(column => hidden.columns.has(column))) {
    throw new PermissionDenied(message('permission_denied.hidden_fields'))
  }
}

export const BulkUpsertReport = () =>
  z.object({ created: z.int().min(0), updated: z.int().min(0) }).meta({ title: 'UpsertReport' })

/** The result of a bulk upsert, with the database's counts of created and updated records. */
export type BulkUpsertReport = Report<typeof BulkUpsertReport>

/** Primary keys by the index of the item; `undefined` for a new record. */
type Matches = readonly unknown[]

const ATTEMPTS = 4

/** Another request may create a matching record meanwhile. Then `write` fails as not unique, and runs again. */
export async function retryOnConcurrentInsert<T>(
  view: BulkView,
  key: UpsertKey,
  write: (matches: Matches) => Promise<T>,
): Promise<T> {
  let matches = await findMatches(view, key)
  for (let attempt = 1; ; attempt++) {
    try {
      return await view.database.transaction(() => write(matches))
    } catch (error) {
      if (!(error instanceof Conflict || error instanceof ValidationError) || attempt === ATTEMPTS) throw error
      const current = await findMatches(view, key)
      if (isSameList(view.definition.model, current, matches)) throw error
      matches = current
    }
  }
}

function isSameList(model: ModelInfo, a: Matches, b: Matches): boolean {
  return a.length === b.length && Array.from(a).every((key, at) => isSameKey(model, key, b[at]))
}

/** A symbol: a copy that a hook makes of the values keeps it, and it names no column. */
const PLACE = Symbol('place in the request')

/** The index of a record of an upsert in the request. Records are not created in that order. */
export function placeOf(values: Values): string | undefined {
  const index: unknown = Reflect.get(values, PLACE)
  return typeof index === 'number' ? String(index) : undefined
}

export async function submittedUpserts(
  view: BulkView,
  key: UpsertKey,
  matches: Matches,
  needsRecords: boolean,
): Promise<{ readonly changes: readonly SubmittedChange[]; readonly values: Values[] }> {
  const { model } = view.definition
  const items = bulkItems(view).map((input, i) => new SubmittedChange(view.database, model, input, matches[i]))
  refuseRepeated(model, items)
  await lockRecords(view, model, items, needsRecords)
  const values = await view.validateMany(items.map(item => (item.key === undefined ? { input: item.input } : item)))
  const created = withFixedValues(view, 'validateMany', values)
  items.forEach((item, i) => {
    item.values = (item.key === undefined ? created : values)[i] ?? {}
    Reflect.set(item.values, PLACE, i)
  })
  return {
    changes: items.filter(({ key }) => key !== undefined),
    values: inOneOrder(
      items.filter(({ key }) => key === undefined).map(item => item.values),
      key.columns.map(column => column.key),
    ),
  }
}

/** One order for all requests: otherwise two with the same records could deadlock. */
function inOneOrder(values: readonly Values[], fields: readonly string[]): Values[] {
  return values
    .map(item => ({ item, rank: fields.map(field => String(item[field])).join('\0') }))
    .sort((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ item }) => item)
}

async function findMatches(view: BulkView, { columns, ignoreCase, where }: UpsertKey): Promise<Matches> {
  const inputs = bulkItems(view)
  const values = await readColumns(
    view.getSerializer(),
    view.database,
    inputs,
    columns,
    readContextOf(view.settings),
    fixedValuesOf(view),
  )
  const wanted = values.flatMap((item, index) => {
    const tuple = columns.map(({ key }) => item[key])
    return tuple.length > 0 && tuple.every(value => value !== null && value !== undefined) ? [{ index, tuple }] : []
  })
  const queryset = (await view.getQueryset()).filter(where)
  const tuples = wanted.map(({ tuple }) => tuple)
  const keys: unknown[] = []
  for (const { position, key } of await queryset.matches(columns, tuples, ignoreCase, undefined, 'update')) {
    keys[wanted[position]?.index ?? -1] = key
  }
  return keys
}
