import type { ColumnKit } from 'viewset'

/** The table of the API that runs in a process of its own (`api-process.ts`). */
export const notesTable = (c: ColumnKit) =>
  c.table('notes', { ...c.BaseModelMixin(), text: c.text(100).notNull(), reads: c.integer() })
