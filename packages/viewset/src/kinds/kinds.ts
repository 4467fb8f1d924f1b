import { arrayKind } from './array.ts'
import { bigint } from './bigint.ts'
import { binary } from './binary.ts'
import { boolean } from './boolean.ts'
import { date } from './date.ts'
import { decimal } from './decimal.ts'
import { enumeration } from './enumeration.ts'
import { float } from './float.ts'
import { integer } from './integer.ts'
import { json } from './json.ts'
import type { Kind, KindName, ValueInfo } from './kind.ts'
import { other } from './other.ts'
import { text } from './text.ts'
import { time } from './time.ts'
import { timestamp } from './timestamp.ts'
import { uuid } from './uuid.ts'

/** All kinds. A new one is a file, its line here and in {@link KindName}, and a codec in each dialect. */
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

/** What is known of the kind of a column's values, or of an expression's. */
export function kindOf({ kind, ownKind }: ValueInfo): Kind {
  return ownKind ?? KINDS[kind]
}

/** Whether the values of a column have something in common with others. */
export function has(info: ValueInfo, trait: Kind['traits'][number]): boolean {
  return kindOf(info).traits.includes(trait)
}
