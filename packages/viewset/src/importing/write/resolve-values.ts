import { CellProblem } from '../../kinds/cells.ts'
import { isAboutRow } from '../../model/drizzle.ts'
import { RelatedSet } from '../../records/drafts.ts'
import { fillsField, type ImportLinks, type ImportLookup } from '../plan/plan.ts'
import { lookedUp, TOLD_NAMES } from '../read/cells.ts'
import type { SheetColumn, SheetModel } from '../read/sheet-layout.ts'
import type { Failures } from './failures.ts'
import type { ImportRecord } from './row-groups.ts'
import type { WriteContext } from './write-context.ts'

/** Returns the records whose foreign keys are all resolved. */
export async function resolveValues(
  { lookups, hooks }: WriteContext,
  model: SheetModel,
  records: readonly ImportRecord[],
  failures: Failures,
): Promise<ImportRecord[]> {
  const { columns } = model
  const { fixedValues } = hooks(model.reader.plan)
  const resolved = new Map<SheetColumn, ReadonlyMap<unknown, unknown>>()
  for (const [at, column] of columns.entries()) {
    const { lookup } = column.plan
    if (!lookup || lookups.isUntouched(lookup)) continue
    const values = new Set(records.flatMap(({ cells }) => lookedUp(cells[at], column.plan.links)))
    resolved.set(column, await lookups.resolve(lookup, values))
  }
  // V8 copies an object faster than it adds the fields one by one.
  const blank = Object.fromEntries(columns.filter(holdsValue).map(({ plan }) => [plan.column.key, undefined]))
  return records.filter(record => {
    const values: Record<string, unknown> = { ...blank }
    let isResolved = true
    for (let at = 0; at < columns.length; at++) {
      const column = columns[at]!
      const { links, list, lookup, column: info } = column.plan
      if (!fillsField(column.plan)) continue
      const cell = record.cells[at]
      const found = resolved.get(column)
      const value = found ? keyIn(found, cell, links) : cell
      const problems = problemsIn(value)
      for (let index = 0; index < problems.length; index++) {
        const [, problem] = problems[index]!
        if (index < TOLD_NAMES) failures.fail(model, record, column.field, problem.text)
        if (lookup && readsOthers(lookup)) failures.suspectAll(record)
        isResolved = false
      }
      if (list && value !== undefined) values[info.key] = value
      else if (!links && !list) values[info.key] = value
      else if (links && value !== undefined)
        values[info.key] = new RelatedSet(links.relation, value as readonly unknown[])
    }
    record.values = Object.assign(values, fixedValues)
    return isResolved
  })
}

/** Whether a scope reads other tables. Any row may then hide a record or show it. */
function readsOthers({ model, scope }: ImportLookup): boolean {
  const condition = scope?.()
  return condition !== undefined && !isAboutRow(condition, model.table)
}

function holdsValue({ plan }: SheetColumn): boolean {
  return !plan.links && !plan.list && fillsField(plan)
}

export function keyIn(found: ReadonlyMap<unknown, unknown>, cell: unknown, links: ImportLinks | undefined): unknown {
  if (cell === null || cell === undefined) return cell
  return links ? (cell as readonly unknown[]).map(value => found.get(value)) : found.get(cell)
}

const NONE: readonly [number, CellProblem][] = []

export function problemsIn(value: unknown): readonly (readonly [number, CellProblem])[] {
  if (value instanceof CellProblem) return [[0, value]]
  if (!Array.isArray(value)) return NONE
  return value.flatMap((item, which) => (item instanceof CellProblem ? [[which, item] as const] : []))
}
