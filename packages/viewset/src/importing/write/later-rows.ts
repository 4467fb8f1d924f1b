import { message } from '../../core/messages/message.ts'
import { CellProblem } from '../../kinds/cells.ts'
import { has } from '../../kinds/kinds.ts'
import type { ImportColumn } from '../plan/plan.ts'
import { type ImportRow, isDeletion, isLeft, rowError } from '../read/import-row.ts'
import { failWarned } from '../read/read-rows.ts'
import type { ImportedSheet, SheetModel } from '../read/sheet-layout.ts'
import { comparable } from './comparable.ts'
import { takenMessage } from './failures.ts'
import { rowKey } from './row-groups.ts'

/** The first row of a record. */
interface FirstRow {
  readonly row: number
  /** The hash of its values. */
  readonly values: number
}

/**
 * Warns of rows that say something else about a record than its first row does. The keys of the whole file are kept as
 * hashes of 53 bits, at 100 bytes a row. Of a million rows, two keys have the same hash once in 18,000 files.
 */
export class LaterRows {
  readonly #first = new Map<number, FirstRow>()

  /** Remembers rows that an interrupted import has written. */
  note(sheet: ImportedSheet, rows: readonly ImportRow[]): void {
    for (const row of rows) this.#compare(sheet, row, () => {})
  }

  warn(sheet: ImportedSheet, rows: readonly ImportRow[], failOnWarnings: boolean): void {
    for (const row of rows) {
      this.#compare(sheet, row, (model, first) => {
        const { field, names } = takenMessage(model, model.reader.plan.unique.columns)
        row.warnings.push(rowError(model, row, field, message('later_row', { row: first.row, field: names })))
      })
      if (failOnWarnings) failWarned(row)
    }
  }

  #compare(sheet: ImportedSheet, row: ImportRow, differs: (model: SheetModel, first: FirstRow) => void): void {
    const { models } = sheet
    const last = models.at(-1)
    if (!isLeft(row) || (last && isDeletion(last.reader, row.cells.at(-1) ?? []))) return
    for (const [index, model] of models.entries()) {
      const cells = row.cells[index]
      const key = cells && isOverwriting(model) ? keyOf(model, cells) : undefined
      if (!cells || key === undefined) continue
      const hashed = hash(`${sheet.position} ${index} ${key}`)
      const values = hash(valuesOf(model, cells))
      const first = this.#first.get(hashed)
      // A transaction that is tried again reads its rows again.
      if (!first) this.#first.set(hashed, { row: row.number, values })
      else if (first.row < row.number && first.values !== values) differs(model, first)
    }
  }
}

/** Whether a later row changes the record of an earlier one. */
function isOverwriting({ reader: { plan } }: SheetModel): boolean {
  const { onDuplicateRow, onExisting, createOnly } = plan.policy
  return onDuplicateRow === 'last' && onExisting === 'update' && !createOnly
}

/** `undefined` for a row that names no record. */
function keyOf(model: SheetModel, cells: readonly unknown[]): string | undefined {
  const { unique, plan } = model.reader
  if (unique.some(at => cells[at] instanceof CellProblem) || unique.every(at => (cells[at] ?? null) === null)) {
    return undefined
  }
  return rowKey(model, unique, cells, plan.unique.ignoreCase)
}

type TextOf = (value: unknown) => string

const writers = new WeakMap<SheetModel, readonly (TextOf | undefined)[]>()

/** Writes each value as a text that is equal for values which a database stores alike; `undefined` for the key. */
function writersOf(model: SheetModel): readonly (TextOf | undefined)[] {
  const known = writers.get(model)
  if (known) return known
  const { columns, unique } = model.reader
  const made = columns.map(({ plan }, at) => (unique.includes(at) ? undefined : writerOf(plan)))
  writers.set(model, made)
  return made
}

function writerOf({ column, lookup, links }: ImportColumn): TextOf {
  if (links) return value => (Array.isArray(value) ? JSON.stringify(value.map(String).sort()) : '')
  const by = lookup?.by ?? column
  if (has(by, 'mutable')) return value => JSON.stringify(inOrder(value)) ?? ''
  const ignoreCase = lookup?.ignoreCase ?? false
  return value => comparable(value, by, ignoreCase)
}

function valuesOf(model: SheetModel, cells: readonly unknown[]): string {
  let text = ''
  for (const [at, write] of writersOf(model).entries()) if (write) text += write(cells[at])
  return text
}

/** The order of keys in a JSON object does not count. */
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null || value instanceof Date) return value
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => [key, inOrder(item)])
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** Two hashes by the method of Fowler, Noll and Vo, as one safe integer. */
function hash(text: string): number {
  let low = 0x811c9dc5
  let high = 0x9e3779b9
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    low = Math.imul(low ^ unit, 0x01000193)
    high = Math.imul(high ^ unit, 0x85ebca6b) ^ (high >>> 13)
  }
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0)
}
