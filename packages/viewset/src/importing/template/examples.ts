import { Column, is, type SQL } from 'drizzle-orm'
import { CellProblem } from '../../kinds/cells.ts'
import type { ReadContext, ValueInfo } from '../../kinds/kind.ts'
import { kindOf } from '../../kinds/kinds.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import { isWritable, type ManyField, takesRecords } from '../../serializer/fields.ts'
import type { Cell } from '../../tabular/table.ts'
import { ConfigCheck } from '../plan/config-check.ts'
import { fillsField, type ImportColumn, type ImportPlan, isInFile } from '../plan/plan.ts'
import { asCell, listExample } from '../read/cells.ts'
import type { ColumnReader, ModelReader } from '../read/model-reader.ts'
import { readCell } from '../read/read-rows.ts'
import type { ExampleSource, Examples, TemplateExamples } from './source.ts'

/** Values of a template's example rows, by model and field or source field. */
export type ImportExamples<K extends string = string, F extends string = string> = {
  readonly [M in K]?: { readonly [P in F]?: string | number | boolean | null }
}

export function chosenExamples(subject: string, { models }: ImportPlan, given: ImportExamples = {}): Examples {
  const check = new ConfigCheck(subject)
  const keys = models.map(({ key }) => key)
  check.keys('importExamples', given, keys)
  const chosen: Examples = new Map()
  for (const { key, columns } of models) {
    const examples: Readonly<Record<string, Cell | undefined>> = given[key] ?? {}
    const inFile = columns.filter(isInFile)
    const names = inFile.map(({ name }) => name)
    check.keys(`importExamples.${key}`, examples, names)
    for (const column of inFile) {
      const example = examples[column.name]
      if (example !== undefined) chosen.set(column, example)
    }
  }
  return chosen
}

/**
 * Examples that can be imported. A reference to a model of the same file uses that model's example; other references
 * use the key of a stored record, if any. Other columns are as `chosen`, or else fit the type, the rules and the checks
 * of their column.
 */
export async function examplesOf(
  readers: readonly ModelReader[],
  chosen: Examples,
  source: ExampleSource | undefined,
): Promise<TemplateExamples> {
  const examples: Examples = new Map(chosen)
  const real = new Set(chosen.keys())
  for (const [index, reader] of readers.entries()) {
    for (const column of reader.columns) {
      const { plan } = column
      if (plan.appValue) {
        // Computed values need a row.
        if ('constant' in plan.appValue) examples.set(plan, asCell(plan.appValue.constant) as Cell)
        continue
      }
      if (examples.has(plan)) continue
      const parent = parentColumn(readers.slice(0, index), plan)
      const stored = parent ? undefined : await storedExample(plan, source)
      if (stored !== undefined || (parent && real.has(parent))) real.add(plan)
      const example = parent ? examples.get(parent) : (stored ?? (await standardExample(column, source)))
      examples.set(plan, example ?? null)
    }
    if (!source) continue
    const free = reader.columns.filter(({ plan }) => isInFile(plan) && !chosen.has(plan) && !plan.lookup && !plan.list)
    await fitChecks(reader, examples, free, source)
  }
  return { cells: examples, real }
}

/** The lookup column of a foreign key in an earlier model of the file, if the file has it. */
function parentColumn(before: readonly ModelReader[], { lookup }: ImportColumn): ImportColumn | undefined {
  if (!lookup) return undefined
  const parent = before.findLast(({ plan }) => plan.model.table === lookup.model.table)
  return parent?.plan.columns.find(({ column }) => column === lookup.by)
}

/** The value of a stored record to which rows may refer. */
async function storedExample(column: ImportColumn, source: ExampleSource | undefined): Promise<Cell | undefined> {
  const { lookup } = column
  const related = lookup && fillsField(column) && !column.list ? await source?.related(lookup) : undefined
  return related ?? undefined
}

async function standardExample(column: ColumnReader, source: ExampleSource | undefined): Promise<Cell> {
  const { lookup, column: info } = column.plan
  if (!fillsField(column.plan)) return null
  if (column.plan.list)
    return listExample(column.plan.list, source && (await relatedExamples(column.plan.list, source)))
  if (lookup && info.nullable) return null
  return fittingValues(column)[0] ?? null
}

/** Values of stored records to which the records of a list may refer, by their columns. */
async function relatedExamples(list: ManyField, source: ExampleSource): Promise<ReadonlyMap<ValueInfo, unknown>> {
  const found = new Map<ValueInfo, unknown>()
  for (const field of (list.serializer?.fields ?? []).filter(isWritable)) {
    if (field.kind === 'many' && takesRecords(field)) {
      for (const [column, value] of await relatedExamples(field, source)) found.set(column, value)
    }
    if (field.kind !== 'stored' || !field.relation) continue
    const { model, target, str, write, scope } = field.relation
    const by = (write === 'str' && str) || target
    const value = await source.related({ model, by, target, scope, ignoreCase: false })
    if (value !== undefined && value !== null) found.set(by, value)
  }
  return found
}

/** Replaces examples that break a check constraint, if other values are known. */
async function fitChecks(
  { plan: { model }, columns }: ModelReader,
  examples: Examples,
  free: readonly ColumnReader[],
  source: ExampleSource,
): Promise<void> {
  const broken = () => source.broken(model, recordOf(columns, examples))
  let left = await broken()
  for (const column of free) {
    if (!left.some(check => names(check, column))) continue
    const before = examples.get(column.plan) ?? null
    for (const value of [...fittingValues(column), before]) {
      examples.set(column.plan, value)
      const still = await broken()
      if (still.length >= left.length) continue
      left = still
      break
    }
  }
}

function recordOf(columns: readonly ColumnReader[], examples: Examples): Readonly<Record<string, unknown>> {
  const values = columns.flatMap(column => {
    const { lookup, list } = column.plan
    const value = lookup || list ? undefined : readExample(column, examples.get(column.plan) ?? null)
    return value instanceof CellProblem ? [] : [[column.plan.column.key, value] as const]
  })
  return Object.fromEntries(values)
}

function names({ queryChunks }: SQL, { plan }: ColumnReader): boolean {
  return queryChunks.some(chunk => is(chunk, Column) && chunk.name === plan.column.name)
}

/** Example datetimes have a zone. */
const IN_UTC: ReadContext = { timeZone: 'UTC' }

/** Values that a column's rules accept; if none is known, only an empty cell. */
function fittingValues(column: ColumnReader): readonly Cell[] {
  const { lookup, column: info, required } = column.plan
  const values = examplesFor(lookup?.by ?? info)
  const fitting = values.filter(value => !(readExample(column, value) instanceof CellProblem))
  return fitting.length > 0 || !required ? fitting : values.slice(0, 1)
}

function readExample(column: ColumnReader, example: Cell): unknown {
  // Errors for generated example values are not logged.
  return readCell(column, typeof example === 'bigint' ? String(example) : example, IN_UTC, () => '')
}

function examplesFor(column: ColumnInfo): readonly Cell[] {
  return kindOf(column).examples(column)
}
