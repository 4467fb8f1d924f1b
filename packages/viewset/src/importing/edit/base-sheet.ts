import { ValidationError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { inBuiltInLanguages } from '../../core/messages/wording.ts'
import type { ReadCell, ReadFile, ReadSheet } from '../../tabular/read/file.ts'
import type { CellRow, PlainCell, TabularColumn } from '../../tabular/table.ts'
import type { Sheet } from '../../tabular/xlsx/write.ts'
import { headerKey } from '../plan/headers.ts'
import { keyText, STATE } from './edit-cells.ts'
import { isEditGuide } from './edit-guide.ts'

/** The hidden sheet of a file for editing, which keeps the cells as they were exported. */
const BASE_SHEET = 'viewset_base'
const VERSION = 1
/** The `state` of the row with the headers of the visible sheet. */
const HEADERS = 'headers'

/** What the base says about its file, as JSON in its first cell. */
interface BaseHead {
  readonly version: number
  /** The table of the records. */
  readonly model: string
  /** The header of the keys in the visible sheet. */
  readonly id: string
  /** The header of the marks for deletion. A file without it deletes nothing. */
  readonly mark?: string
  /** Headers of the visible sheet that are for reading only. */
  readonly others: readonly string[]
}

export interface BaseRow {
  /** The state of each cell, then that of each cell for reading only. */
  readonly states: readonly string[]
  /** The state of the record's version, if the model has one. */
  readonly version: string | undefined
  readonly cells: readonly ReadCell[]
  /** The cells for reading only. */
  readonly others: readonly ReadCell[]
}

/** The cells of a file as they were exported, by the text of their record's key. */
export interface EditBase extends Omit<BaseHead, 'version'> {
  /** The header in the visible sheet of each field, in the order of the cells. */
  readonly headers: ReadonlyMap<string, string>
  readonly rows: ReadonlyMap<string, BaseRow>
}

/** A row to write: the key, the states of all of its cells and of the version, the cells, and those for reading only. */
export interface NewBaseRow {
  readonly key: string
  readonly states: readonly string[]
  readonly cells: readonly PlainCell[]
  readonly others: readonly PlainCell[]
}

export function baseSheet(
  { others, ...head }: Omit<BaseHead, 'version' | 'others'> & { readonly others: readonly TabularColumn[] },
  columns: readonly (TabularColumn & { readonly field: string })[],
  rows: () => Iterable<readonly NewBaseRow[]>,
): Sheet {
  const text = (header: string): TabularColumn => ({ header, kind: 'text', width: 10 })
  function* written(): Generator<readonly CellRow[]> {
    yield [['', HEADERS, ...columns.map(({ header }) => header)]]
    for (const batch of rows()) {
      yield batch.map(({ key, states, cells, others }) => [key, states.join(''), ...cells, ...others])
    }
  }
  return {
    name: BASE_SHEET,
    isHidden: true,
    columns: [
      text(
        JSON.stringify({ version: VERSION, ...head, others: others.map(({ header }) => header) } satisfies BaseHead),
      ),
      text('state'),
      ...columns.map(column => ({ ...column, header: column.field })),
      ...others.map(({ kind, scale }) => ({ header: '', kind, ...(scale !== undefined && { scale }) })),
    ],
    rows: written(),
  }
}

/** The sheets of people, and the base of a file for editing. */
export function withoutBase(file: ReadFile): { readonly file: ReadFile; readonly base: ReadSheet | undefined } {
  const base = file.sheets.find(({ name }) => name === BASE_SHEET)
  if (!base) return { file, base }
  return { file: { ...file, sheets: file.sheets.filter(sheet => sheet !== base && !isEditGuide(sheet)) }, base }
}

const ID_NAMES = inBuiltInLanguages('template.edit_id')

/** @throws ValidationError for a file for editing that has lost its base: all of its rows would be imported */
export function refuseWithoutBase({ sheets }: ReadFile): void {
  const names = new Set([...ID_NAMES, String(message('template.edit_id'))].map(headerKey))
  const isLost = sheets.some(({ top }) => top.some(({ texts }) => texts.some(text => names.has(headerKey(text)))))
  if (isLost) throw new ValidationError({ file: [message('invalid_edit_file.no_base')] })
}

/** @throws ValidationError for a base of another table, or one that cannot be read */
export async function readBase(sheet: ReadSheet, model: string): Promise<EditBase> {
  const [first = '', , ...texts] = sheet.top[0]?.texts ?? []
  const head = headIn(first)
  if (!head) throw damaged()
  if (head.model !== model) throw new ValidationError({ file: [message('invalid_edit_file.other_records')] })
  const fields = texts.filter(text => text !== '')
  let headers: readonly string[] | undefined
  const rows = new Map<string, BaseRow>()
  for await (const batch of sheet.rows()) {
    for (const { cells } of batch) {
      const [key, state, ...kept] = cells
      const isHead = !headers && state === HEADERS
      const states = statesIn(String(state))
      const count = fields.length + head.others.length
      if (!isHead && (!headers || (states.length !== count && states.length !== count + 1))) throw damaged()
      if (isHead) headers = fields.map((_, at) => String(kept[at] ?? ''))
      else {
        const [cells, others] = [kept.slice(0, fields.length), kept.slice(fields.length)]
        rows.set(keyText(key), { states: states.slice(0, count), version: states[count], cells, others })
      }
    }
  }
  if (!headers) throw damaged()
  const named = fields.map((field, at) => [field, headers?.[at] ?? ''] as const)
  const { id, mark, others } = head
  return { model, id, ...(mark !== undefined && { mark }), others, headers: new Map(named), rows }
}

function damaged(): ValidationError {
  return new ValidationError({ file: [message('invalid_edit_file.damaged')] })
}

function headIn(text: string): BaseHead | undefined {
  try {
    const head = JSON.parse(text) as Partial<BaseHead> | null
    const isHead =
      head?.version === VERSION &&
      typeof head.id === 'string' &&
      typeof (head.mark ?? '') === 'string' &&
      Array.isArray(head.others)
    return isHead ? (head as BaseHead) : undefined
  } catch {
    return undefined
  }
}

function statesIn(text: string): readonly string[] {
  return Array.from({ length: Math.floor(text.length / STATE) }, (_, at) => text.slice(at * STATE, (at + 1) * STATE))
}
