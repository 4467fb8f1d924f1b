import { writeListeners } from '../model/post-write.ts'
import { signals } from '../model/signals.ts'
import { writeItems } from '../serializer/items.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import type { RawRow } from '../store/driver.ts'
import { isInTransaction } from '../store/session.ts'
import type { GenericViewSet } from './generic-viewset.ts'
import { JsonText, ListPage, Reply } from './reply.ts'

/** The hooks of every view that look at a write, or at what it answers. */
const HOOKS = ['validate', 'getQueryset', 'getObject', 'serialize', 'finalize'] as const

export const SAVES = ['preSave', 'postSave'] as const
export const DELETIONS = ['preDelete', 'postDelete'] as const

/**
 * Whether nobody looks at the single records that a view writes: no hook, no signal, no listener. Then checks, write and
 * answer can be one statement, outside of any transaction. Each request asks, since listeners come and go.
 */
export function isUnwatched(view: GenericViewSet, heard: readonly (keyof typeof signals)[]): boolean {
  const { table } = view.definition.model
  return (
    !HOOKS.some(hook => view.overrides(hook)) &&
    !heard.some(signal => signals[signal].isHeard(table)) &&
    !writeListeners(table) &&
    !isInTransaction(view.database)
  )
}

/** Whether no hook, no permission and no `preSave` handler sees the records of a bulk write. Other signals are not sent. */
export function isUnwatchedInBulk(view: GenericViewSet): boolean {
  return !view.overrides('validateMany') && !view.overrides('serializeMany') && isUnwatched(view, ['preSave'])
}

/** A row that was written, as its record is shown. */
export function directReply({ listed }: ModelSerializer, row: RawRow, returnsData = true): Reply {
  return new Reply(returnsData ? new JsonText(`${listed.open(row)}}`) : {})
}

/** Rows that were written in bulk, as their records are shown, or their number. */
export function directListReply({ listed }: ModelSerializer, rows: readonly RawRow[], returnsData = true): Reply {
  return new Reply(returnsData ? new ListPage([writeItems(listed, rows, undefined)]) : { count: rows.length })
}
