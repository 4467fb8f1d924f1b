import { currentContext } from '../../core/context.ts'
import { message } from '../../core/messages/message.ts'
import { inBuiltInLanguages } from '../../core/messages/wording.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import type { TabularColumn } from '../../tabular/table.ts'
import { deletionText, standInColumn } from '../plan/deletion-column.ts'
import { headerKey } from '../plan/headers.ts'
import type { ImportColumn } from '../plan/plan.ts'

/** No field can have this name. */
const MARK = 'delete?'

/** What a row says about the deletion of its record. */
export type Mark = 'deletes' | 'stays' | 'unclear'

/** Reads marks in all languages: people of several countries may edit one file. */
export class MarkReader {
  readonly #yes = wordsOf('pdf.yes', ['x', '1', 'true'])
  readonly #no = wordsOf('pdf.no', ['', '0', 'false'])

  read(cell: unknown): Mark {
    const text = deletionText(cell)
    if (this.#yes.has(text)) return 'deletes'
    return this.#no.has(text) ? 'stays' : 'unclear'
  }
}

function wordsOf(name: 'pdf.yes' | 'pdf.no', others: readonly string[]): ReadonlySet<string> {
  const ofApplication = currentContext().language.all.map(texts => texts[name])
  return new Set([...inBuiltInLanguages(name), ...ofApplication, ...others].map(deletionText))
}

/** The column of marks, as that of `deleteWhen`. A {@link MarkReader} reads its cells. */
export function markColumn(primaryKey: ColumnInfo): ImportColumn {
  return {
    header: MARK,
    flatHeader: MARK,
    spellings: [],
    name: MARK,
    column: standInColumn(primaryKey, MARK),
    isSourceField: true,
    lookup: null,
    deletes: new Set(),
    required: false,
  }
}

const NAMES = ['template.edit_mark', 'template.edit_mark_other'] as const

/** The header of the column, beside these others. */
export function markHeader(others: readonly string[]): string {
  const taken = new Set(others.map(headerKey))
  const free = NAMES.find(name => !taken.has(headerKey(String(message(name)))))
  return String(message(free ?? NAMES[0]))
}

export function markTabularColumn(header: string): TabularColumn {
  const yes = yesText()
  return {
    header,
    kind: 'text',
    note: String(message('template.edit_mark_note', { yes })),
    choices: [yes, String(message('pdf.no'))],
  }
}

export function yesText(): string {
  return String(message('pdf.yes'))
}
