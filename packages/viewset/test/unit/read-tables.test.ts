import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pgVersions } from '../../src/store/dialect/pg-versions.ts'
import { areConstant, readTables } from '../../src/store/read-tables.ts'
import { cases } from '../support/cases.ts'

const { constantSql } = pgVersions
const tablesOf = (condition: string) => readTables(condition, constantSql)?.tables

test.each([
  ['("a"."x" = $1)', []],
  ['("a"."x" is not null and not ("a"."y" < 5 or "a"."y" >= 1.5))', []],
  [`(lower("a"."x"::text) like lower($1) and "a"."note" <> 'it''s')`, []],
  ['("a"."x" = any($1::uuid[]))', []],
  ['("a"."x" = any($1::numeric(8, 5)[]) and "a"."y" = any($2::"shop"."mood"[]))', []],
  ['("a"."t" between $1::timestamp(6) with time zone and $2::character varying(20))', []],
  [`(extract(month from "a"."t" at time zone $1::text) = $2)`, []],
  ['("a"."x" is distinct from "a"."y")', []],
  ['(case when "a"."x" then 1 else 2 end = 2)', []],
  ['(cast("a"."x" as integer) = $1)', []],
  ['("a"."c" in (select "c"."id" from "c" where "c"."name" = $1))', ['"c"']],
  ['("a"."c" in (select "id" from "s"."c" where ("id" in (select "x" from "d""e" as "f"))))', ['"s"."c"', '"d""e"']],
  [
    '(exists (select 1 from "c" left join "d" on "d"."id" = "c"."d" join "e" on ("e"."x" = 1) where true))',
    ['"c"', '"d"', '"e"'],
  ],
  ['((select count(*) from (select "x" from "c" union all select "y" from "d") as "u") > 3)', ['"c"', '"d"']],
  ['("x" in (select "c"."v" from "c" group by "c"."v" having count(*) > 1))', ['"c"']],
] as const)('%s is constant and reads %j', (condition, tables) => {
  expect(tablesOf(condition)).toEqual(tables)
})

test.each([
  ['the time', '("a"."t" < now())'],
  ['the time without parentheses', '("a"."t" < current_date)'],
  ['the time as a text', `("a"."t" < 'now')`],
  ['a relative day as a text', `("a"."t" < ' Tomorrow 10:00')`],
  ['chance', '("a"."x" < random())'],
  ['the session', `("a"."tenant" = current_setting('app.tenant'))`],
  ['the user', '("a"."owner" = current_user)'],
  ['a function of the application', '(is_visible("a"."id"))'],
  ['a quoted function', '("is_visible"("a"."id"))'],
  ['a quoted function of a schema', '("app"."is_visible" ("a"."id"))'],
  ['a function that has the name of a keyword', '(left("a"."x", 1) = $1)'],
  ['a function in a list of tables', '("x" in (select "id" from generate_series(1, 2) as "g"("id")))'],
  ['an unquoted table', '("x" in (select "id" from towns))'],
  ['an unquoted column', '(name = $1)'],
  ['a second table after a comma', '("x" in (select "c"."id" from "c", "view"))'],
  ['a second table after a comma behind a join', '("x" in (select 1 from "c" join "d" on true, "view"))'],
  ['tables in parentheses', '("x" in (select 1 from ("view" cross join "c")))'],
  ['a table behind FROM ONLY', '("x" in (select "id" from only "c"))'],
  ['a table behind LATERAL', '("x" in (select 1 from "c" join lateral (select 1 from "d") as "e" on true))'],
  ['a table without a select', '("x" in "view")'],
  ['a second FROM', '("x" in (select "a" is distinct from "b" from "c" from "view"))'],
  ['a comment', '("a"."x" = 1 -- and'],
  ['a comment within the line', '("a"."x" = /* 1 */ 2)'],
  ['a text in dollars', '("a"."x" = $x$now$x$)'],
  ['a text with a backslash', `("a"."x" = '\\')`],
  ['an operator of an extension', '("a"."x" % $1)'],
  ['another kind of quotes', '("a".`x` = 1)'],
  ['a letter of another script', '(nоw() > "a"."t")'],
  ['too many parentheses', '("a"."x" = 1))'],
  ['the order of equal rows', '("x" = (select "id" from "c" order by "y" limit 1))'],
  ['rows of a window', '("x" in (select count(*) over () from "c"))'],
])('a condition with %s is not known to be constant', (_, condition) => {
  expect(readTables(condition, constantSql)).toBeUndefined()
})

test('the names of a condition are all that stand in quotes', () => {
  expect(readTables('("a"."x" in (select "y" from "s"."c" as "d""e"))', constantSql)?.names).toEqual([
    'a',
    'x',
    'y',
    's',
    'c',
    'd"e',
  ])
})

const known = ['"a"."x"', '$1', '1', 'null', `'x'`, 'lower("a"."x")', '("a"."x" || $2)', '(select count(*) from "c")']
const strange = [
  'now()',
  'f("a"."x")',
  '"f"("a"."x")',
  'current_date',
  'a.x',
  '(select 1 from v)',
  `'today'`,
  'random ( )',
]
const comparison = (values: readonly string[]) =>
  fc
    .tuple(fc.constantFrom(...values), fc.constantFrom('=', '<>', '<', 'is distinct from'), fc.constantFrom(...values))
    .map(parts => parts.join(' '))
const condition = (values: readonly string[]) =>
  fc.letrec<{ one: string }>(one => ({
    one: fc.oneof(
      { maxDepth: 4 },
      comparison(values),
      fc.tuple(one('one'), fc.constantFrom('and', 'or'), one('one')).map(parts => `(${parts.join(' ')})`),
      one('one').map(inner => `not (${inner})`),
      one('one').map(inner => `exists (select 1 from "d" where ${inner})`),
    ),
  })).one

test('conditions of known parts are constant, at any depth, and one strange part anywhere makes them unknown', () => {
  fc.assert(
    fc.property(condition(known), fc.nat(), fc.constantFrom(...strange), (text, place, part) => {
      expect(tablesOf(text)).toBeDefined()
      const places = [...text.matchAll(/\$1|'x'|"a"\."x"/g)]
      const chosen = places[place % Math.max(places.length, 1)]
      if (!chosen) return
      expect(tablesOf(text.slice(0, chosen.index) + part + text.slice(chosen.index + chosen[0].length))).toBeUndefined()
    }),
    { numRuns: cases(500) },
  )
})

test.each([
  [['x', 1, 2n, true, null, undefined, ['a', 'unknown']], true],
  [['now'], false],
  [[' TODAY 10:00'], false],
  [['1now'], false],
  [[['a', 'tomorrow']], false],
  [[new Date(0)], false],
  [[Buffer.from('x')], false],
  [[Number.NaN], false],
])('values %o are constant: %s', (values, constant) => {
  expect(areConstant(values)).toBe(constant)
})
