import type { CatalogueColumn } from '../catalogue/catalogue.ts'
import { options, quoted } from '../code.ts'
import { ownType, type Spelling, type Use } from './spelling.ts'

/** Types with the same or a similar name in Drizzle. */
const SIMPLE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    'smallint integer real boolean text uuid json jsonb date interval inet cidr macaddr macaddr8'
      .split(' ')
      .map(type => [type, type]),
  ),
  'double precision': 'doublePrecision',
}

/** Types with limits, and bigint, which would lose digits as a number. */
const OTHERS: readonly (readonly [RegExp, (limits: readonly string[]) => readonly [name: string, options: string]])[] =
  [
    [/^bigint$/, () => ['bigint', "{ mode: 'bigint' }"]],
    [/^character varying(?:\((\d+)\))?$/, ([length]) => ['varchar', options({ length })]],
    [/^character\((\d+)\)$/, ([length]) => ['char', options({ length })]],
    [/^numeric(?:\((\d+),(\d+)\))?$/, ([precision, scale]) => ['numeric', options({ precision, scale })]],
    [/^time(?:\((\d)\))? with(out)? time zone$/, limits => ['time', inTime(limits)]],
    [/^timestamp(?:\((\d)\))? with(out)? time zone$/, limits => ['timestamp', inTime(limits, "'string'")]],
  ]

function inTime([precision, without]: readonly (string | undefined)[], mode?: string): string {
  return options({ withTimezone: without ? undefined : 'true', precision, mode })
}

export const pgSpelling: Spelling = {
  module: 'drizzle-orm/pg-core',
  functions: [
    ...Object.values(SIMPLE),
    ...'bigint bigserial char customType foreignKey index numeric pgEnum pgSchema pgTable primaryKey serial'.split(' '),
    ...'smallserial time timestamp unique uniqueIndex varchar'.split(' '),
  ],
  table: 'pgTable',
  rule: 'PgTableExtraConfigValue',
  column: columnOf,
  default: column => (serialOf(column) === undefined ? column.default : null),
  numbered: ({ identity }) => {
    if (identity === 'always') return '.generatedAlwaysAsIdentity()'
    return identity === 'byDefault' ? '.generatedByDefaultAsIdentity()' : ''
  },
  generated: () => '',
  descending: column => `${column}.desc()`,
}

function columnOf(column: CatalogueColumn, use: Use, enumeration: string | undefined): string {
  const [, type = column.type, brackets = ''] = /^(.*?)((?:\[\])*)$/.exec(column.type) ?? []
  const array = '.array()'.repeat(brackets.length / 2)
  const name = quoted(column.name)
  if (enumeration !== undefined) return `${enumeration}(${name})${array}`
  const serial = serialOf(column)
  if (serial !== undefined) return `${use(serial)}(${name}${serial === 'bigserial' ? ", { mode: 'bigint' }" : ''})`
  const found = builderOf(type)
  if (!found) return ownType(column.type, name, use)
  const [builder, limits] = found
  return `${use(builder)}(${name}${limits && `, ${limits}`})${array}`
}

function builderOf(type: string): readonly [name: string, options: string] | undefined {
  const simple = SIMPLE[type]
  if (simple !== undefined) return [simple, '']
  for (const [pattern, write] of OTHERS) {
    const [, ...limits] = pattern.exec(type) ?? []
    if (pattern.test(type)) return write(limits)
  }
  return undefined
}

/** PostgreSQL's name of an integer whose default is the next number of its sequence. */
function serialOf({ type, default: value, notNull }: CatalogueColumn): string | undefined {
  const [whole, size = ''] = /^(small|big)?int(?:eger)?$/.exec(type) ?? []
  return whole !== undefined && notNull && /^nextval\(/.test(value ?? '') ? `${size}serial` : undefined
}
