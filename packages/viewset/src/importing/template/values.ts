import { CellProblem } from '../../kinds/cells.ts'
import type { ReadContext } from '../../kinds/kind.ts'
import { kindOf } from '../../kinds/kinds.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import type { Cell } from '../../tabular/table.ts'
import type { ColumnReader } from '../read/model-reader.ts'
import { readCell } from '../read/read-rows.ts'

/** Examples name their zone themselves. */
const IN_UTC: ReadContext = { timeZone: 'UTC' }

/** The values that a column's own rules accept; where none is known, none where that will do. */
export function fittingValues(column: ColumnReader): readonly Cell[] {
  const { lookup, column: info, required } = column.plan
  const values = examplesFor(lookup?.by ?? info)
  const fitting = values.filter(value => !(readExample(column, value) instanceof CellProblem))
  return fitting.length > 0 || !required ? fitting : values.slice(0, 1)
}

/** What an example will be read as. */
export function readExample(column: ColumnReader, example: Cell): unknown {
  // A transform that makes nothing of a value that we thought of has no mistake for the log.
  return readCell(column, typeof example === 'bigint' ? String(example) : example, IN_UTC, () => '')
}

function examplesFor(column: ColumnInfo): readonly Cell[] {
  return kindOf(column).examples(column)
}
