import { message } from '../../core/messages/message.ts'
import { inBuiltInLanguages } from '../../core/messages/wording.ts'
import type { Sheet } from '../../tabular/xlsx/write.ts'
import { yesText } from './marks.ts'

const NAMES = inBuiltInLanguages('template.edit_guide')

/** Whether a sheet says how to edit its file, in any language. An import ignores it. */
export function isEditGuide({ name }: { readonly name: string }): boolean {
  return NAMES.has(name) || name === String(message('template.edit_guide'))
}

interface Editable {
  /** The headers of the IDs and of the marks for deletion. */
  readonly id: string
  readonly mark: string | undefined
  /** Whether new rows become records. */
  readonly adds: boolean
  readonly hasReadOnly: boolean
}

const WIDTH = 100

/** The sheet that says how to edit the others. */
export function editGuide({ id, mark, adds, hasReadOnly }: Editable): Sheet {
  const name = String(message('template.edit_guide'))
  const lines = [
    message('template.edit_change'),
    ...(adds ? [message('template.edit_add', { id })] : []),
    ...(mark === undefined ? [] : [message('template.edit_delete', { yes: yesText(), mark })]),
    message('template.edit_keep'),
    ...(hasReadOnly ? [message('template.edit_read_only')] : []),
    message('template.edit_arrange', { id }),
    message('template.edit_send'),
  ]
  const rows = lines.map(line => [String(line)])
  return { name, columns: [{ header: name, kind: 'text', width: WIDTH }], rows: [rows] }
}
