import { ConfigError } from '../core/errors.ts'
import { refuseUnknown } from '../core/setting-rules.ts'
import type { TextOptions } from '../model/kit.ts'
import type { ColumnInfo } from '../model/model-info.ts'

/** How a text that a client sends is read, for one field; see {@link TextOptions}. */
export type TextRules = Pick<TextOptions, 'trim' | 'allowBlank'>

/** A column whose values are read by the rules of a serializer. @throws ConfigError for a column of another kind. */
export function withTextRules(subject: string, name: string, column: ColumnInfo, rules: TextRules): ColumnInfo {
  refuseUnknown(`${subject}: texts.${name}`, 'option', Object.keys(rules), ['trim', 'allowBlank'])
  if (column.kind === 'text') return { ...column, ...rules }
  if (column.item?.kind === 'text') return { ...column, item: { ...column.item, ...rules } }
  throw new ConfigError(subject, 'texts', `"${name}" is no text, and only texts are trimmed`)
}
