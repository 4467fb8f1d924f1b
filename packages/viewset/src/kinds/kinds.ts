import type { Cell } from '../tabular/table.ts'
import { binary } from './binary.ts'
import { boolean } from './boolean.ts'
import { CellProblem } from './cells.ts'
import { date } from './date.ts'
import { decimal } from './decimal.ts'
import { float } from './float.ts'
import { bigint, integer } from './integers.ts'
import { arrayKind, json } from './json.ts'
import type { Kind, KindName, ValueInfo } from './kind.ts'
import { other } from './other.ts'
import { enumeration, text } from './text.ts'
import { time } from './time.ts'
import { timestamp } from './timestamp.ts'
import { uuid } from './uuid.ts'

/** A new kind needs its line here and in {@link KindName}, and a codec in each dialect. */
const KINDS: Readonly<Record<KindName, Kind>> = {
  text,
  enumeration,
  integer,
  bigint,
  decimal,
  float,
  boolean,
  timestamp,
  date,
  time,
  uuid,
  json,
  array: arrayKind(kindOf),
  binary,
  other,
}

export function kindOf({ kind, ownKind }: ValueInfo): Kind {
  return ownKind ?? KINDS[kind]
}

export function has(info: ValueInfo, trait: Kind['traits'][number]): boolean {
  return kindOf(info).traits.includes(trait)
}

export function exampleValues(info: ValueInfo): readonly unknown[] {
  return valuesOfCells(info, kindOf(info).examples(info))
}

/** The JSON values of the cells that can be read. */
export function valuesOfCells(info: ValueInfo, cells: readonly Cell[]): readonly unknown[] {
  const kind = kindOf(info)
  return cells.flatMap(cell => {
    const value = typeof cell === 'bigint' ? String(cell) : cell
    const read = kind.readCell ? kind.readCell(value, info) : value
    return read === null || read instanceof CellProblem ? [] : [read]
  })
}
