import type { User } from '../../core/context.ts'
import type { History } from '../../model/history.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import type { HistoryValues } from '../../model/tables/history-tables.ts'
import { isReadable, type SerializerField } from '../../serializer/fields.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import type { HistoryEntry } from './entries.ts'
import type { PastState } from './states.ts'
import { type Meaning, type PastValues, type Translation, translationOf, valueToday } from './translation.ts'

/** What a reader may see of a history, and under which names. */
export interface ShownValues {
  readonly translation: Translation
  /** The relations to many that the reader sees, by their names in entries. */
  readonly links: ReadonlySet<string>
  /** Names in entries that the reader sees. Others count as not there. */
  readonly names: readonly string[]
  /** The names on the wire of columns and relations, as far as the reader sees them. */
  wiresOf(names: readonly string[]): readonly string[]
  /** The values of an entry by their names on the wire. */
  values(values: HistoryValues | null): Record<string, unknown> | null
  /** The values of a state by their names on the wire. */
  state(state: PastState): Record<string, unknown>
  /** The names of the changed fields whose values are not kept. */
  redacted(entry: Pick<HistoryEntry, 'before' | 'after'>): readonly string[]
}

/** A reader sees the fields that the view's serializer shows, and dropped columns that the history's options show. */
export function shownValues(view: GenericViewSet, history: History): ShownValues {
  return shownValuesOf(view.getSerializer().fields, history, view.user)
}

/** A relation that only another serializer shows is hidden. */
export function shownValuesOf(fields: readonly SerializerField[], history: History, user: User | null): ShownValues {
  const translation = translationOf(history)
  const shown = new Map<string, string>()
  for (const field of fields.filter(isReadable)) {
    if (field.kind === 'stored') shown.set(field.column.name, field.wire)
    if (field.kind === 'many') shown.set(field.wire, field.wire)
  }
  const dropped = translation.dropped.filter(name => {
    // A field that has the name today comes first.
    return isShownDropped(translation.meaningOf(name), user) && ![...shown.values()].includes(name)
  })
  const wireOf = ({ is, name }: Meaning) => {
    if (is === 'unknown') return undefined
    return is === 'dropped' ? (dropped.includes(name) ? name : undefined) : shown.get(name)
  }
  const columnsOf = (values: Readonly<Record<string, unknown>>) =>
    Object.entries(values).flatMap(([name, value]): [string, unknown][] => {
      const meaning = translation.meaningOf(name)
      const wire = wireOf(meaning)
      return wire === undefined || meaning.is !== 'column' ? [] : [[wire, asShown(meaning.column, value)]]
    })
  const linksOf = (links: PastValues['links'], how: (ids: readonly unknown[]) => readonly unknown[]) =>
    [...links].flatMap(([name, ids]): [string, unknown][] => (shown.has(name) ? [[name, how(ids)]] : []))
  const droppedOf = (values: Readonly<Record<string, unknown>>) =>
    Object.entries(values).filter(([name]) => dropped.includes(name))
  return {
    translation,
    links: new Set(fields.flatMap(field => (field.kind === 'many' && shown.has(field.wire) ? [field.wire] : []))),
    names: [...[...shown.keys()].flatMap(name => translation.namesOf(name)), ...dropped],
    wiresOf: names => names.flatMap(name => wireOf(translation.meaningOf(name)) ?? []),
    values: values => {
      if (values === null) return null
      const { columns, links, dropped: old } = translation.read(values)
      return Object.fromEntries([...columnsOf(columns), ...linksOf(links, ids => ids), ...droppedOf(old)])
    },
    state: ({ columns, links, dropped: old }) => {
      if (columns === null) return {}
      return Object.fromEntries([...columnsOf(columns), ...linksOf(links, inOrder), ...droppedOf(old)])
    },
    redacted: ({ before, after }) => {
      const { redacted } = translation.read(before ?? after)
      return redacted.flatMap(name => wireOf(translation.meaningOf(name)) ?? [])
    },
  }
}

/** Whether a name is that of a dropped column whose old values a user may read. */
export function isShownDropped(meaning: Meaning, user: User | null): boolean {
  return meaning.is === 'dropped' && meaning.column.readableBy?.(user) === true
}

/** A value that the column's kind does not have today is shown as it was. */
function asShown(column: ColumnInfo, value: unknown): unknown {
  const today = valueToday(column, value)
  return today ? today.value : value
}

/** Links have no order. */
function inOrder(ids: readonly unknown[]): readonly unknown[] {
  const numbers = ids.every(id => typeof id === 'number')
  return numbers ? ids.toSorted((a, b) => Number(a) - Number(b)) : ids.toSorted()
}
