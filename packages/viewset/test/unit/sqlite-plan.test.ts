import Database from 'better-sqlite3'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { SqliteConnection } from '../../src/store/dialect/sqlite-connection.ts'
import { SqlitePlans, scanEstimate } from '../../src/store/dialect/sqlite-plan.ts'

const handle = new Database(':memory:')
const connection = new SqliteConnection(handle)

beforeAll(() => {
  handle.exec(`
    create table countries (id text primary key, name text);
    create table "odd ""name" (id integer primary key, name text);
    create table cities (id text primary key, country text, name text, size integer);
    create index cities_country on cities (country, size);
    create index cities_size on cities (size, id);
    create unique index cities_name on cities (country, name);
    create table keyed (a text, b text, primary key (a, b)) without rowid;
    create virtual table words using fts5 (word);
    with recursive r(n) as (select 1 union all select n + 1 from r where n < 3000)
      insert into cities select n, n, n, n from r;
    create table "empty" (name text);
    create table forty (id integer primary key, name text);
    insert into forty select rowid, name from cities where rowid <= 40;
    create table sixty (id integer primary key, name text);
    insert into sixty select rowid, name from cities where rowid <= 60;
    insert into countries values ('a', 'b');`)
})

test.each([
  ['keys', 'select * from cities where id = ?'],
  ['keys', 'select * from cities c where c.country = ? and c.name = ?'],
  ['keys', 'select * from cities left join countries on countries.id = cities.country where cities.id = ? limit ?'],
  ['keys', 'select * from cities where id in (select value from json_each(?))'],
  ['keys', 'select exists (select 1 from cities where rowid = ?)'],
  ['keys', 'select 1'],
  ['keys', 'pragma table_list'],
  ['keys', 'explain query plan select * from cities'],
  ['few', 'select * from countries order by name'],
  ['few', 'select * from countries a, countries b, countries c'],
  ['few', 'select * from "odd ""name" where name = ?'],
  ['few', 'select * from countries left join cities on cities.id = countries.name'],
  ['many', 'select * from sixty a, sixty b'],
  ['many', 'select * from cities where country = ? or size > ?'],
  ['many', 'select * from cities where not exists (select 1 from "empty" e where e.name = cities.name)'],
  ['many', 'with x as materialized (select name from cities) select * from x'],
  ['many', 'select a.name from sixty a join (select name, count(*) from cities group by name) b on b.name = a.name'],
  ['few', 'with x as materialized (select name from forty) select * from x'],
  ['few', 'select name, count(*) from sixty group by name order by 2'],
  ['many', 'select distinct name from (select a.name from sixty a union select name from sixty)'],
  ['many', 'select count(*) from cities'],
  ['many', 'select max(rowid) from cities where name like ?'],
  ['many', 'select * from cities where country = ?'],
  ['many', 'select * from cities where country = ? and size > ?'],
  ['many', 'select * from cities where rowid > ?'],
  ['many', 'select * from cities c order by c.name limit 3'],
  ['many', 'select *, (select count(*) from cities where country = countries.id) as n from countries order by n'],
  ['many', 'select * from keyed where b = ?'],
  ['many', 'select * from words where word match ?'],
  ['many', 'with recursive r(n) as (select 1 union all select n + 1 from r) select * from r limit 1'],
])('goes through rows that %s lead to: %s', (reach, text) => {
  const values = Array(text.split('?').length - 1).fill('1')
  const most = scanEstimate(connection, text, values)(values)
  expect(most === 0 ? 'keys' : most <= 2_000 ? 'few' : 'many').toBe(reach)
})

describe('a LIMIT bounds what is gone through', () => {
  test.each([
    [3, 'select * from cities order by size, id limit 3', []],
    [7, 'select * from cities order by size, id limit +?', [7]],
    [17, 'select * from cities order by size desc, id desc limit +? offset +?', [7, 10]],
    [
      7,
      'select c.id, k.name from cities c left join countries k on k.id = c.country order by c.size, c.id limit +?',
      [7],
    ],
    [7, 'select * from cities where country = +? order by size limit +?', ['NO', 7]],
    [8, 'select * from cities where (size, id) > (+?, +?) order by size, id limit +?', [5, 'x', 7]],
    [7, "select id, coalesce(name, 'x'), case when size > 3 then 1 end from cities order by size limit +?", [7]],
  ] as const)('to %i rows: %s', (rows, text, values) => {
    expect(scanEstimate(connection, text, values)(values)).toBe(rows)
  })

  test.each([
    ['rows are passed over', 'select * from cities where name > +? order by size, id limit +?', ['a', 7]],
    [
      'another table decides',
      'select * from cities c join countries k on k.id = c.country order by c.size, c.id limit +?',
      [7],
    ],
    [
      'another table may decide',
      'select c.id from cities c left join countries k on k.id = c.country where k.name is not null order by c.size limit +?',
      [7],
    ],
    ['rows wait to be sorted', 'select * from cities order by name limit +?', [7]],
    ['rows are told apart', 'select distinct country from cities order by size limit +?', [7]],
    [
      'rows of another loop are counted',
      'select size, (select count(*) from cities) from cities order by size limit +?',
      [7],
    ],
    [
      'two values decide',
      'select * from cities where (size, id) > (+?, +?) and (name, id) > (+?, +?) order by size, id limit +?',
      [5, 'x', 'a', 'b', 7],
    ],
    ['the next run may have another one', 'select * from cities order by size, id limit ?', [7]],
    ['there is none', 'select * from cities order by size, id limit +?', [-1]],
  ] as const)('not where %s', (_reason, text, values) => {
    expect(scanEstimate(connection, text, values)(values)).not.toBeLessThan(3_000)
  })
})

describe('a statement belongs into a thread', () => {
  const plans = () => new SqlitePlans(connection)
  beforeAll(() => {
    handle.exec(`
      create table counted (id integer primary key, name text);
      insert into counted select rowid, name from cities where rowid <= 2000;`)
  })
  afterEach(() => vi.restoreAllMocks())

  test('if it may scan more than 2,000 rows, by the plan that is asked for every ten seconds', () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
    const known = plans()
    const isLong = () => known.scansMany('select * from counted where name = ?', ['x'])
    expect(isLong()).toBe(false)
    handle.exec("insert into counted values (2001, 'x')")
    clock.mockReturnValue(9_999)
    expect(isLong()).toBe(false)
    clock.mockReturnValue(10_000)
    expect(isLong()).toBe(true)
    handle.exec('create unique index counted_name on counted (name)')
    expect(plans().scansMany('select * from counted where name = ?', ['x'])).toBe(false)
  })

  test('with the values that make it scan so many, however it was run before', () => {
    const known = plans()
    const isLong = (limit: number) => known.scansMany('select * from cities order by size, id limit +?', [limit])
    expect([1, 2_001, 2_000].map(isLong)).toEqual([false, true, false])
  })

  test('if a function of ours is called for each row: such rows count tenfold', () => {
    handle.exec(`
      create table small (id integer primary key, name text);
      insert into small select rowid, name from cities where rowid <= 200;`)
    const search = (known: SqlitePlans) => known.scansMany('select * from small where casefold(name) = ?', ['x'])
    expect(search(plans())).toBe(false)
    handle.exec("insert into small values (201, 'x')")
    expect(search(plans())).toBe(true)
    expect(plans().scansMany('select * from small where name = ?', ['casefold(name)'])).toBe(false)
  })

  test('not if keys lead to its rows', () => {
    expect(plans().scansMany('select * from cities where id in (select value from json_each(?))', ['[]'])).toBe(false)
  })
})
