import type { SQL } from 'drizzle-orm'
import { exportCellReader } from '../../exporting/cells.ts'
import { has } from '../../kinds/kinds.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import { ownProjection, projection } from '../../store/projection.ts'
import { QuerySet } from '../../store/queryset.ts'
import { brokenChecks } from '../../store/render-projection.ts'
import type { Values } from '../../store/write/write.ts'
import type { Cell } from '../../tabular/table.ts'
import { type ImportColumn, type ImportLookup, isInFile, type ModelPlan } from '../plan/plan.ts'
import type { ModelReader } from '../read/model-reader.ts'

const LOOKED_AT = 50
/** Most related records of a drop-down list. */
const MOST_CHOICES = 1_000

export type Examples = Map<ImportColumn, Cell>

export interface TemplateExamples {
  readonly cells: Examples
  /** The columns whose examples are chosen or stored. Others are made up. */
  readonly real: ReadonlySet<ImportColumn>
}

/** The texts of related records, by column. */
export type Choices = ReadonlyMap<ImportColumn, readonly string[]>

export interface ExampleSource {
  related(lookup: ImportLookup): Promise<Cell | undefined>
  broken(model: ModelInfo, record: Values): Promise<readonly SQL[]>
}

export function exampleSource(queryset: QuerySet, mainModel: ModelPlan): ExampleSource {
  const { database } = queryset
  return {
    async related({ model, by, scope, ignoreCase }) {
      const all = model === mainModel.model ? queryset.filter(mainModel.scope?.()) : new QuerySet(database, model)
      const visible = all.filter(scope?.()).orderBy([{ by: model.primaryKey, descending: false }])
      const found = await visible.rows(ownProjection(model), { limit: LOOKED_AT, offset: 0 })
      const at = model.columns.indexOf(by)
      const decode = database.dialect.decoder(by)
      const raw = found.map(row => row[at]).filter(value => value !== null)
      const matches = await visible.matches(
        [by],
        raw.map(value => [decode(value)]),
        ignoreCase,
      )
      const clear = raw.findIndex((_, position) => matches.filter(match => match.position === position).length === 1)
      return clear === -1 ? undefined : exportCellReader(model, by)(raw[clear])
    },
    broken: (model, record) => brokenChecks(database, model, record),
  }
}

/** The texts of related records; `undefined` if they are too many for a list. */
export async function choicesOf(
  database: QuerySet['database'],
  { model, by, scope }: ImportLookup,
): Promise<readonly string[] | undefined> {
  const related = new QuerySet(database, model).filter(scope?.()).orderBy([{ by, descending: false }])
  const rows = await related.rows(projection(model, [by]), { limit: MOST_CHOICES + 1, offset: 0 })
  if (rows.length > MOST_CHOICES) return undefined
  const decode = database.dialect.decoder(by)
  return rows.flatMap(([value]) => (value === null ? [] : [String(decode(value))]))
}

/** The choices of the relations to records that the file itself does not have, if the user may see their column. */
export async function relatedChoices(
  readers: readonly ModelReader[],
  database: QuerySet['database'],
): Promise<Choices> {
  const ofFile = new Set(readers.map(({ plan }) => plan.model.table))
  const choices = new Map<ImportColumn, readonly string[]>()
  for (const { plan, sight } of readers) {
    for (const column of plan.columns.filter(isInFile)) {
      const { lookup, links } = column
      if (!lookup || links || !has(lookup.by, 'text') || ofFile.has(lookup.model.table)) continue
      const found = sight.shown.includes(column) ? await choicesOf(database, lookup) : undefined
      // A text of two records names none.
      const clear = found?.filter((text, at) => text !== found[at - 1] && text !== found[at + 1]) ?? []
      if (clear.length > 0) choices.set(column, clear)
    }
  }
  return choices
}
