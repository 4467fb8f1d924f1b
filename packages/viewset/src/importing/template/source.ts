import type { SQL } from 'drizzle-orm'
import { exportCellReader } from '../../exporting/cells.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import { ownProjection } from '../../store/projection.ts'
import { QuerySet } from '../../store/queryset.ts'
import { brokenChecks } from '../../store/render-projection.ts'
import type { Values } from '../../store/write/write.ts'
import type { Cell } from '../../tabular/table.ts'
import type { ImportColumn, ImportLookup, ModelPlan } from '../plan/plan.ts'

const LOOKED_AT = 50

export type Examples = Map<ImportColumn, Cell>

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
