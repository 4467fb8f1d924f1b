import { kindOf } from '../../kinds/kinds.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import { ownHeader } from '../plan/headers.ts'
import type { ImportColumn, ImportPlan, ModelPlan } from '../plan/plan.ts'

/** What a person who fills a template in is told about a column: a sentence a line. */
export function templateNote(plan: ImportPlan, model: ModelPlan, column: ImportColumn): string {
  return [
    column.required ? 'Required.' : column.takesBlank ? 'Optional: an empty cell is an empty text.' : 'Optional.',
    column.lookup ? lookupNote(plan, model, column.lookup) : kindNote(column.column),
    ...(model.unique.columns.includes(column.column) ? [uniqueNote(model)] : []),
  ].join('\n')
}

function lookupNote(
  plan: ImportPlan,
  model: ModelPlan,
  { model: related, by }: NonNullable<ImportColumn['lookup']>,
): string {
  const sheet = plan.models.find(candidate => candidate.model.table === related.table)
  const where =
    sheet === undefined
      ? 'that is stored already'
      : sheet === model
        ? 'that is stored already or stands in a row above'
        : `of the sheet "${sheet.key}", or one that is stored already`
  return `The "${by.wire}" of a record of "${related.name}" ${where}. ${kindNote(by)}`
}

function kindNote(column: ColumnInfo): string {
  return kindOf(column).note(column)
}

function uniqueNote({ unique, columns }: ModelPlan): string {
  const headers = unique.columns.map(column => {
    const planned = columns.find(candidate => candidate.column === column)
    return planned ? ownHeader(planned, false) : column.wire
  })
  return `A row updates the record that has the same ${headers.join(', ')}; if there is none, it creates one.`
}
