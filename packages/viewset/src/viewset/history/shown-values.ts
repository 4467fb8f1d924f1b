import { or, type SQL, sql } from 'drizzle-orm'
import { type History, linkNamesOf } from '../../model/history.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import type { HistoryValues } from '../../model/tables/history-tables.ts'
import { isReadable } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { REDACTED } from '../../store/write/record-history.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import type { HistoryEntry } from './entries.ts'

/** What a reader may see of a history, and under which names. */
export interface ShownValues {
  /** The names of the entries that the reader sees; others count as not there. */
  readonly isShown: (name: string) => boolean
  readonly links: ReadonlySet<string>
  /** The values of an entry or a state by their names on the wire. */
  values(values: HistoryValues | null): Record<string, unknown> | null
  /** The names of the changed fields whose values are not kept. */
  redacted(entry: Pick<HistoryEntry, 'before' | 'after'>): readonly string[]
}

/** A reader sees the fields that the view's serializer shows, and columns that the model no longer has. */
export function shownValues(view: GenericViewSet, history: History): ShownValues {
  return shownValuesOf(view.getSerializer(), history)
}

/** A relation that only another serializer shows is hidden. */
export function shownValuesOf({ fields }: Pick<ModelSerializer, 'fields'>, { model, options }: History): ShownValues {
  const { renamed = {} } = options
  const byName = new Map(model.columns.map(column => [column.name, column]))
  const shownFields = new Map<string, string>()
  for (const field of fields.filter(isReadable)) {
    if (field.kind === 'stored') shownFields.set(field.column.name, field.wire)
    if (field.kind === 'many') shownFields.set(field.wire, field.wire)
  }
  const links = linkNamesOf(model.table)
  const wireOf = (name: string): string | undefined => {
    const field = Object.hasOwn(renamed, name) ? renamed[name] : undefined
    const current = (field === undefined ? undefined : model.byKey.get(field)?.name) ?? name
    const shown = shownFields.get(current)
    if (shown !== undefined) return shown
    return byName.has(current) || links.has(current) ? undefined : current
  }
  return {
    isShown: name => wireOf(name) !== undefined,
    links,
    values: values => {
      if (values === null) return null
      const entries = Object.entries(values).flatMap(([name, value]) => {
        const wire = name === REDACTED ? undefined : wireOf(name)
        return wire === undefined ? [] : [[wire, value]]
      })
      return Object.fromEntries(entries)
    },
    redacted: ({ before, after }) => {
      const names = (before ?? after)?.[REDACTED]
      return Array.isArray(names) ? names.flatMap(name => wireOf(String(name)) ?? []) : []
    },
  }
}

/** An update of hidden fields only is no entry for the reader. A change of `parent` is one: the child has arrived. */
export function visibleEntries(
  { model, table, options }: History,
  shown: ShownValues,
  parent?: ColumnInfo,
): SQL | undefined {
  const { redact = [] } = options
  const all = [...model.columns.map(({ name }) => name), ...shown.links]
  const hidden = all.filter(name => !shown.isShown(name) && name !== parent?.name)
  if (hidden.length === 0) return undefined
  const isRedactionHidden = model.columns.every(({ key, name }) => !redact.includes(key) || hidden.includes(name))
  const names = isRedactionHidden ? [...hidden, REDACTED] : hidden
  const others = sql`select 1 from ${model.dialect.jsonKeys(sql`${table.before}`)} where entry.key not in ${names}`
  return or(sql`${table.action} <> 'update'`, sql`exists (${others})`)
}
