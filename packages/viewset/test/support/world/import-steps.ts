import { notAWholeNumber } from '../texts.ts'
import type { Expected, Outcome, World } from './world.ts'

/** A row of a file; `''` is an empty cell. */
export interface Row {
  readonly name: string
  readonly rank: string
  readonly note: string
  /** The leader's name. */
  readonly leader: string
}

export interface ImportOptions {
  readonly append: boolean
  readonly dryRun: boolean
}

interface RowError {
  readonly row: number
  readonly field: string
  /** Where the field has a column in the file. */
  readonly column?: string
  readonly message: string
  readonly model: 'things'
}

const REFERRED =
  'Records of "things" refer to records that would be deleted, so nothing was replaced. Delete them first, or add the rows without replacing.'
const NOT_REPLACED: Expected = { status: 409, message: REFERRED, errors: { non_field_errors: [REFERRED] } }

/** An import is what comes of importing one row after the other. */
export function importRows(before: World, rows: readonly Row[], { append, dryRun }: ImportOptions): Outcome {
  let world = before.copy()
  const doomed = new Set(append ? [] : world.visible.map(({ id }) => id))
  if (!world.remove(doomed)) return { world: before, expected: NOT_REPLACED }
  const errors: RowError[] = []
  let [created, updated, failed] = [0, 0, 0]
  rows.forEach((row, at) => {
    const next = world.copy()
    const faults = importRow(next, row)
    if (Array.isArray(faults)) {
      failed++
      errors.push(...faults.map(fault => rowError(at + 2, fault)))
      return
    }
    world = next
    if (faults === 'created') created++
    else updated++
  })
  const isUndone = !append && failed > 0
  const success = failed === 0
  return {
    world: dryRun || isUndone ? before : world,
    expected: {
      status: success ? 201 : 207,
      data: {
        success,
        processed: rows.length,
        failed,
        errors,
        created: isUndone ? 0 : created,
        updated: isUndone ? 0 : updated,
        ignored_columns: [],
        ...(failed > 0 && { error_groups: groupsOf(errors, rows) }),
        ...(isUndone && { rolled_back: true }),
        ...(dryRun && { dry_run: true, ...unmatchedOf(errors, rows) }),
        ...(!append && { deleted: isUndone ? 0 : doomed.size }),
      },
    },
  }
}

/** The errors of each field and code, those with the most rows first. */
function groupsOf(errors: readonly RowError[], rows: readonly Row[]): readonly object[] {
  const groups = Map.groupBy(errors, ({ field, message }) => `${field} ${codeOf(message)}`)
  return [...groups.values()]
    .map(([first, ...others]) => {
      const { row: _, ...shown } = first as RowError
      const numbers = [first as RowError, ...others].map(({ row }) => row)
      const cells = numbers.map(row => rows[row - 2]?.[shown.field as keyof Row] ?? '')
      const examples = [...new Set(cells.filter(cell => cell.trim() !== ''))].slice(0, 5)
      return { ...shown, code: codeOf(shown.message), count: numbers.length, rows: rangesOf(numbers), examples }
    })
    .sort((a, b) => b.count - a.count)
}

/** The names of leaders that are no thing, those in the most rows first. */
function unmatchedOf(errors: readonly RowError[], rows: readonly Row[]): object {
  const texts = errors.flatMap(({ row, field }) => (field === 'leader' ? [rows[row - 2]?.leader] : []))
  const counted = [...Map.groupBy(texts, text => text)].map(([text, same]) => ({ text, count: same.length }))
  const leader = counted.sort((a, b) => b.count - a.count)
  return leader.length > 0 ? { unmatched: { leader } } : {}
}

function codeOf(message: string): string {
  if (message === TAKEN) return 'unique'
  if (message.startsWith('There is no')) return 'does_not_exist'
  return message.startsWith('Ensure') ? 'max_length' : 'invalid_integer'
}

function rangesOf(numbers: readonly number[]): string {
  const starts = numbers.filter(row => !numbers.includes(row - 1))
  const ends = numbers.filter(row => !numbers.includes(row + 1))
  return starts.map((start, at) => (start === ends[at] ? String(start) : `${start}-${ends[at]}`)).join(', ')
}

type Fault = readonly [field: string, message: string]

function rowError(row: number, [field, message]: Fault): RowError {
  const column = field === 'non_field_errors' ? {} : { column: field }
  return { row, field, ...column, message, model: 'things' }
}

const TAKEN = 'Another record already has this value.'

/** Writes a row into the world, or tells what is wrong with it. */
function importRow(world: World, { name, rank, note, leader }: Row): 'created' | 'updated' | readonly Fault[] {
  const faults: Fault[] = []
  if (name.length > 8) faults.push(['name', 'Ensure this field has no more than 8 characters.'])
  if (!/^\d*$/.test(rank)) faults.push(['rank', notAWholeNumber(rank)])
  // Leaders can come from the file itself, so they are looked for once the row can be read.
  if (faults.length > 0) return faults
  const found = leader === '' ? undefined : world.visible.find(thing => thing.name === leader)
  if (leader !== '' && !found) return [['leader', `There is no thing with the name "${leader}".`]]
  const holder = world.things.find(thing => thing.name === name)
  if (holder && !holder.active) return [['name', TAKEN]]
  const number = rank === '' ? null : Number(rank)
  if (number !== null && world.things.some(thing => thing !== holder && thing.rank === number)) return [['rank', TAKEN]]
  const values = { name, rank: number, note: note || 'none', leader: found?.id ?? null }
  if (!holder) {
    world.add(values)
    return 'created'
  }
  Object.assign(holder, values)
  return 'updated'
}
