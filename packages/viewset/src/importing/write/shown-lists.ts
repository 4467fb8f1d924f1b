import type { ManyField } from '../../serializer/fields.ts'
import { loadAllRelated, toManyPart } from '../../serializer/output/related-writers.ts'
import { relatedOf } from '../../serializer/output/representation.ts'
import type { Part } from '../../serializer/output/row-writer.ts'
import type { Database } from '../../store/connection/database.ts'
import type { RawRow } from '../../store/connection/driver.ts'
import type { ModelPlan } from '../plan/plan.ts'

const parts = new WeakMap<ManyField, Part>()

/** Lists as the serializer shows them, for stored rows with all columns of their model. */
export async function shownLists(
  database: Database,
  { model }: Pick<ModelPlan, 'model'>,
  list: ManyField,
  rows: readonly RawRow[],
): Promise<readonly unknown[]> {
  const part = parts.get(list) ?? toManyPart('', list, model.columns.indexOf(list.relation.ownerKey), 0)
  parts.set(list, part)
  const related = await relatedOf({ loadRelated: loadAllRelated([part]) }, database, rows)
  return rows.map(row => JSON.parse(part.write(row, 0, related)))
}
