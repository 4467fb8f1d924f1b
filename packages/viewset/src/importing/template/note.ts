import { kindOf } from '../../kinds/kinds.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import { formOf } from '../locale/locale-forms.ts'
import { ownHeader } from '../plan/headers.ts'
import type { ImportColumn, ImportLinks, ImportLookup, ImportPlan, ModelPlan } from '../plan/plan.ts'

/** What a person who fills a template in is told about a column: a sentence a line. */
export function templateNote(plan: ImportPlan, model: ModelPlan, column: ImportColumn): string {
  const { links, deletes } = column
  if (deletes) return `Optional.\n${deletionNote(deletes)}`
  return [
    column.required ? 'Required.' : column.takesBlank ? 'Optional: an empty cell is an empty text.' : 'Optional.',
    column.lookup ? lookupNote(plan, model, column.lookup, links) : kindNote(plan, column.column),
    ...(model.unique.columns.includes(column.column) ? [uniqueNote(model)] : []),
  ].join('\n')
}

function lookupNote(
  plan: ImportPlan,
  model: ModelPlan,
  { model: related, by }: ImportLookup,
  links: ImportLinks | undefined,
): string {
  const sheet = plan.models.find(candidate => candidate.model.table === related.table)
  const where =
    sheet === undefined
      ? 'that is stored already'
      : sheet === model
        ? 'that is stored already or stands in a row above'
        : `of the sheet "${sheet.key}", or one that is stored already`
  const one = `The "${by.wire}" of a record of "${related.name}" ${where}. ${kindNote(plan, by)}`
  return links
    ? `${one} Several have "${links.separator}" between them; the record is linked to these and no others.`
    : one
}

function deletionNote(deletes: ReadonlySet<string>): string {
  const words = [...deletes].map(word => `"${word}"`).join(' or ')
  return `A row with ${words} deletes its record; its other cells do not count, but for those that find it.`
}

function kindNote({ locale }: ImportPlan, column: ColumnInfo): string {
  const form = locale && formOf(column, locale)
  return [kindOf(column).note(column), ...(form?.note ? [form.note] : [])].join(' ')
}

/** What a row does with a record that is stored, and what where there is none. */
const EXISTING = {
  update: (names: string) => `A row updates the record that has the same ${names}`,
  skip: (names: string) => `A row leaves the record that has the same ${names} as it is`,
  fail: (names: string) => `No record may have the same ${names} already`,
}
const MISSING = {
  create: 'if there is none, it creates one.',
  skip: 'if there is none, the row is left out.',
  fail: 'there must be one.',
}

function uniqueNote({ unique, columns, policy }: ModelPlan): string {
  const headers = unique.columns.map(column => {
    const planned = columns.find(candidate => candidate.column === column)
    return planned ? ownHeader(planned, false) : column.wire
  })
  return `${EXISTING[policy.onExisting](headers.join(', '))}; ${MISSING[policy.onMissing]}`
}
