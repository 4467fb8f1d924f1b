import { ValidationError } from '../../core/errors.ts'
import { isSame, type Message, message } from '../../core/messages/message.ts'
import { similar } from '../../core/suggestion.ts'
import type { ImportMapping, MappedField } from '../options.ts'
import type { ImportColumn } from '../plan/plan.ts'
import { columnsNamed, type NamedColumns } from '../plan/spellings.ts'
import type { ColumnReader, ModelReader } from './model-reader.ts'
import type { HeaderPositions } from './sheet-names.ts'

export interface SheetMapping {
  /** The columns that it feeds, by position on the sheet. */
  readonly at: ReadonlyMap<ColumnReader, number>
  /** The sheet's columns that it names, including those that it leaves out. */
  readonly named: ReadonlySet<number>
}

const MOST_PROBLEMS = 10
/** Most names that a message offers. */
export const OFFERED = 30
/** Characters of a client's name that are repeated and compared. */
const LONGEST = 100

/** @throws ValidationError on `mapping` with the mistakes and the possible names. */
export function sheetMapping(
  mapping: Readonly<Record<string, MappedField>>,
  positions: HeaderPositions,
  readers: readonly ModelReader[],
): SheetMapping {
  const problems: Message[] = []
  const at = new Map<ColumnReader, number>()
  const named = new Set<number>()
  const byPlan = new Map(readers.flatMap(({ columns }) => columns.map(column => [column.plan, column] as const)))
  const isEnough = () => problems.length >= MOST_PROBLEMS
  for (const [header, fields] of Object.entries(mapping)) {
    // Searching for similar names takes long.
    if (isEnough()) break
    const found = positions.find(header)
    const names = fields === null ? [] : [fields].flat()
    const [first] = found
    // A file of failed rows lacks sensitive columns.
    if (first === undefined && isOfSensitive(names, readers)) continue
    if (first === undefined) {
      const hint = hintOf(shorten(header), positions.names().slice(0, OFFERED).map(shorten))
      problems.push(message('invalid_mapping.column', { column: shorten(header), hint }))
      continue
    }
    if (found.some(position => named.has(position)))
      problems.push(message('invalid_mapping.repeated', { column: shorten(header) }))
    for (const position of found) named.add(position)
    if (found.length > 1 && names.length > 0) {
      const column = shorten(header)
      problems.push(
        message('invalid_mapping.several', { count: found.length, column, first: positions.placeOf(first) }),
      )
    }
    for (const name of names) {
      if (isEnough()) break
      const target = columnsNamed(
        readers.map(({ plan }) => plan),
        shorten(name),
        wireNames,
      )
      if (!('columns' in target)) problems.push(problemOf(shorten(header), shorten(name), target))
      for (const plan of 'columns' in target ? target.columns : []) {
        const column = byPlan.get(plan) as ColumnReader
        const before = at.get(column)
        if (before !== undefined) {
          const one = shorten(positions.nameOf(before))
          problems.push(message('invalid_mapping.both', { one, other: shorten(header), field: shorten(name) }))
        }
        at.set(column, first)
      }
    }
  }
  if (problems.length > 0) throw wrongMapping(problems)
  return { at, named }
}

function isOfSensitive(names: readonly string[], readers: readonly ModelReader[]): boolean {
  const plans = readers.map(({ plan }) => plan)
  return (
    names.length > 0 &&
    names.every(name => {
      const target = columnsNamed(plans, name, wireNames)
      return 'columns' in target && target.columns.every(({ isSensitive }) => isSensitive)
    })
  )
}

export function wrongMapping(problems: readonly Message[]): ValidationError {
  const different = problems.filter((problem, at) => problems.findIndex(other => isSame(other, problem)) === at)
  const mapping = different.slice(0, MOST_PROBLEMS)
  return new ValidationError({ mapping }, mapping.length > 1 ? message('invalid_mapping.file') : undefined)
}

function problemOf(
  column: string,
  field: string,
  named: Exclude<NamedColumns, { readonly columns: unknown }>,
): Message {
  if ('ambiguous' in named) return message('invalid_mapping.ambiguous', { column, fields: named.ambiguous })
  return message('invalid_mapping.field', { column, field, hint: hintOf(field, named.known) })
}

/** The candidate that was probably meant, or all of them. */
export function hintOf(word: string, candidates: readonly string[]): Message {
  const meant = similar(word, candidates)
  return meant === undefined
    ? message('hint.names', { names: candidates })
    : message('hint.did_you_mean', { name: meant })
}

/** The name in JSON, or the source field. */
export function wireNames({ header, column }: ImportColumn): readonly string[] {
  return [header, column.wire]
}

export function shorten(name: string): string {
  return name.length > LONGEST ? `${name.slice(0, LONGEST).toWellFormed()}...` : name
}

/** Whether a value has the shape of a mapping. Its names are not checked. */
export function isMapping(value: unknown): value is ImportMapping {
  return isRecord(value) && Object.values(value).every(entry => isField(entry) || isColumns(entry))
}

function isColumns(value: unknown): value is Readonly<Record<string, MappedField>> {
  return isRecord(value) && Object.values(value).every(isField)
}

function isField(value: unknown): value is MappedField {
  return value === null || typeof value === 'string' || (Array.isArray(value) && value.every(isText))
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether an entry of a mapping has the columns of one sheet. */
export function isOfSheet(entry: ImportMapping[string]): entry is Readonly<Record<string, MappedField>> {
  return typeof entry === 'object' && entry !== null && !Array.isArray(entry)
}
