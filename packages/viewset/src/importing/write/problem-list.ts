import type { ImportProblemGroup, ImportRowError, ImportRowProblem } from '../result.ts'
import { shownProblem } from '../row-problems.ts'

const LISTED = 1_000
const MOST_GROUPS = 100
const MOST_RANGES = 100
const MOST_EXAMPLES = 5

interface Group {
  readonly first: ImportRowProblem
  count: number
  lastRow: number
  readonly ranges: (readonly [first: number, last: number])[]
  hasMoreRanges: boolean
  readonly examples: (string | number | boolean)[]
}

type Groups = ReadonlyMap<string, Group>

/** The errors or the warnings so far. A list never changes, since a transaction may start again. */
export class ProblemList {
  static readonly EMPTY = new ProblemList([], false, new Map(), false)

  /** The first ones, as a report shows them. */
  readonly listed: readonly ImportRowError[]
  readonly isTruncated: boolean
  readonly #groups: Groups
  readonly isGroupsTruncated: boolean

  private constructor(
    listed: readonly ImportRowError[],
    isTruncated: boolean,
    groups: Groups,
    isGroupsTruncated: boolean,
  ) {
    this.listed = listed
    this.isTruncated = isTruncated
    this.#groups = groups
    this.isGroupsTruncated = isGroupsTruncated
  }

  with(problems: readonly ImportRowProblem[]): ProblemList {
    if (problems.length === 0) return this
    const room = LISTED - this.listed.length
    const listed = room > 0 ? [...this.listed, ...problems.slice(0, room).map(shownProblem)] : this.listed
    const groups = new Map(this.#groups)
    let isGroupsTruncated = this.isGroupsTruncated
    for (const [key, added] of Map.groupBy(problems, keyOf)) {
      if (!groups.has(key) && groups.size === MOST_GROUPS) isGroupsTruncated = true
      else groups.set(key, grown(groups.get(key), added))
    }
    return new ProblemList(listed, this.isTruncated || problems.length > room, groups, isGroupsTruncated)
  }

  /** The groups with the most rows first. */
  get groups(): readonly ImportProblemGroup[] {
    return [...this.#groups.values()].sort((a, b) => b.count - a.count).map(shownGroup)
  }
}

function keyOf({ model, field, code }: ImportRowProblem): string {
  return `${model}\n${field}\n${code}`
}

function grown(before: Group | undefined, problems: readonly ImportRowProblem[]): Group {
  const group: Group = {
    first: before?.first ?? problems[0]!,
    count: before?.count ?? 0,
    lastRow: before?.lastRow ?? 0,
    ranges: [...(before?.ranges ?? [])],
    hasMoreRanges: before?.hasMoreRanges ?? false,
    examples: [...(before?.examples ?? [])],
  }
  for (const { row, value } of problems) {
    addRow(group, row)
    const { examples } = group
    if (value !== undefined && examples.length < MOST_EXAMPLES && !examples.includes(value)) examples.push(value)
  }
  return group
}

/** Rows come in their order. A row with several problems of a group counts once. */
function addRow(group: Group, row: number): void {
  const { ranges, lastRow } = group
  if (row === lastRow) return
  group.count++
  group.lastRow = row
  const last = ranges.at(-1)
  if (last && row === lastRow + 1 && !group.hasMoreRanges) ranges[ranges.length - 1] = [last[0], row]
  else if (ranges.length < MOST_RANGES) ranges.push([row, row])
  else group.hasMoreRanges = true
}

function shownGroup({ first, count, ranges, hasMoreRanges, examples }: Group): ImportProblemGroup {
  const { model, field, column, code, message } = first
  const texts = ranges.map(([from, to]) => (from === to ? String(from) : `${from}-${to}`))
  return {
    code,
    field,
    ...(column !== undefined && { column }),
    message,
    model,
    count,
    rows: [...texts, ...(hasMoreRanges ? ['...'] : [])].join(', '),
    examples,
  }
}
