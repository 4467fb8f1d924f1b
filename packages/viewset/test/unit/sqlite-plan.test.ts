import Database from 'better-sqlite3'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Statement } from '../../src/store/connection/driver.ts'
import { SqliteConnection } from '../../src/store/dialect/sqlite-connection.ts'
import { SqlitePlans, scanPlan } from '../../src/store/dialect/sqlite-plan.ts'
import { withFile } from '../tabular/read-support.ts'

const handle = new Database(':memory:')
const connection = new SqliteConnection(handle)

beforeAll(() => {
  handle.function('count_row', () => 1)
  handle.exec(`
    create table countries (id text primary key, name text);
    create table "odd ""name" (id integer primary key, name text);
    create table cities (id text primary key, country text, name text, size integer, area integer);
    create index cities_country on cities (country, size);
    create index cities_size on cities (size, id);
    create unique index cities_name on cities (country, name);
    create table keyed (a text, b text, primary key (a, b)) without rowid;
    create virtual table words using fts5 (word);
    with recursive r(n) as (select 1 union all select n + 1 from r where n < 3000)
      insert into cities select n, n, n, n, n from r;
    create table "empty" (name text);
    create table forty (id integer primary key, name text);
    insert into forty select rowid, name from cities where rowid <= 40;
    create table sixty (id integer primary key, name text);
    insert into sixty select rowid, name from cities where rowid <= 60;
    create view towns as select cities.* from cities;
    create view hidden as select "sixty".* from cities as "sixty";
    create table coded (id text primary key not null, code text, kind text not null, unique (code, kind));
    insert into coded select id, null, 'x' from cities;
    create unique index coded_folded on coded (lower(code));
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
  ['keys', 'select * from coded where code = ? and kind = ?'],
  ['keys', 'select * from coded where code = ? and kind = ? and code is not null'],
  ['keys', 'select * from coded where id is ? and code is null'],
  ['keys', 'select * from coded where lower(code) = ? and kind is not null'],
  ['many', 'select * from coded where code is null and kind = ?'],
  ['many', 'select * from coded where ("code") IS ? and kind = ?'],
  ['many', 'select * from coded where ? is coded."code" and kind = ?'],
  ['many', 'select * from coded where code is not distinct from ? and kind = ?'],
  ['many', 'select * from coded where ? is not distinct from [coded].[code] and kind = ?'],
  ['many', 'select * from coded where lower(code) is ?'],
  ['few', 'select * from countries order by name'],
  ['few', 'select * from countries a, countries b, countries c'],
  ['few', 'select * from "odd ""name" where name = ?'],
  ['few', 'select * from [odd "name] where name = ?'],
  ['few', 'select value from json_each(?) where exists (select 1 from forty where name = value)'],
  ['few', 'with x as materialized (select name from forty) select * from x'],
  ['few', 'select name, count(*) from sixty group by name order by 2'],
  ['many', 'select * from sixty a, sixty b'],
  ['many', 'select * from cities as forty where name = ?'],
  ['many', 'select * from CITIES forty, "countries" where forty.name = ?'],
  ['many', "select * from 'cities' as forty where name = ?"],
  ['many', 'select * from `cities` as forty where name = ?'],
  ['many', 'select * from towns as forty where name = ?'],
  ['many', 'select * from hidden, sixty'],
  ['many', 'select * from cities where country = ? or size > ?'],
  ['many', 'select * from cities where not exists (select 1 from "empty" e where e.name = cities.name)'],
  ['many', 'with x as materialized (select name from cities) select * from x'],
  ['many', 'select a.name from sixty a join (select name, count(*) from cities group by name) b on b.name = a.name'],
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
])('goes through rows that %s lead to: %s', (rows, text) => {
  const values = Array(text.split('?').length - 1).fill('1')
  const most = scanPlan(connection, { text }, values).most(values)
  expect(most === 0 ? 'keys' : most <= 2_000 ? 'few' : 'many').toBe(rows)
})

/** A page of cities. The limit's placeholder is the last but one. */
function page({ columns = '*', where, order }: { columns?: string; where?: string; order: string }): Statement {
  const write = (...conditions: readonly string[]) => {
    const all = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`
    return `select ${columns} from cities${all} order by ${order} limit +? offset +?`
  }
  const given = where === undefined ? [] : [where]
  return {
    text: write(...given),
    scan: {
      table: 'cities',
      limitAt: (where ?? '').split('?').length,
      hasCondition: where !== undefined,
      withCondition: condition => write(condition, ...given),
    },
  }
}

/** A page that is joined with other tables. */
function joined(inner: Statement, joins: string): Statement {
  const around = (text: string) => `select * from (${text}) as cities ${joins}`
  const { scan } = inner
  return {
    text: around(inner.text),
    ...(scan && { scan: { ...scan, withCondition: condition => around(scan.withCondition(condition)) } }),
  }
}

const toCountry = 'left join countries on countries.id = cities.country order by size, id'

describe('a page without conditions goes through its rows and those before it', () => {
  test.each([
    ['in the order of an index', page({ order: 'size, id' })],
    ['backward', page({ order: 'size desc, id desc' })],
    ['in the order of the primary key', page({ order: 'rowid' })],
    ['if keys lead to the rows of other tables', joined(page({ order: 'size, id' }), toCountry)],
    [
      'if keys lead to the rows of its expressions',
      page({ columns: '*, (select name from countries where id = cities.country)', order: 'size, id' }),
    ],
  ])('%s', (_reason, statement) => {
    const { most } = scanPlan(connection, statement, [7, 10])
    expect([most([7, 10]), most([20, 500]), most([20, 5_000])]).toEqual([17, 520, 3_000])
  })

  test('which count tenfold if a function of ours is called for them', () => {
    const { most } = scanPlan(connection, page({ columns: 'casefold(name)', order: 'size, id' }), [7, 10])
    expect(most([7, 10])).toBe(170)
  })

  test.each([
    ['unless the rows must be sorted', page({ order: 'area, id' })],
    [
      'unless the table is read for each row',
      page({ columns: '*, (select count(*) from cities c where c.size < cities.size)', order: 'size, id' }),
    ],
    [
      'unless another table is',
      joined(page({ order: 'size, id' }), 'left join sixty on sixty.name = cities.name order by size, id'),
    ],
  ])('%s', (_reason, statement) => {
    const { most, counted } = scanPlan(connection, statement, [7, 10])
    expect(most([7, 10])).toBeGreaterThan(2_000)
    expect(counted).toBeUndefined()
  })
})

describe('the rows of a read with conditions are counted while it runs', () => {
  test.each([
    ['by an index', page({ where: 'country = +?', order: 'size, id' })],
    ['by a range of an index', page({ where: '(size, id) > (+?, 1)', order: 'size, id' })],
    ['in the order of an index', page({ where: 'area > +?', order: 'size, id' })],
    ['before they are sorted', page({ where: 'country = +?', order: 'name, id' })],
    ['if rows with equal values are sorted', page({ order: 'size desc, id' })],
    ['if other tables are reached by keys', joined(page({ where: 'area > +?', order: 'size, id' }), toCountry)],
    [
      'if other tables decide by keys',
      page({ where: 'exists (select 1 from countries where id = country and name > +?)', order: 'size, id' }),
    ],
    ['also if keys are listed', page({ where: 'area in (select value from json_each(+?))', order: 'size, id' })],
  ])('%s', (_reason, statement) => {
    const { most, counted } = scanPlan(connection, statement, ['1', 7, 0].slice(statement.scan?.hasCondition ? 0 : 1))
    expect(most(['1', 7, 0])).toBe(3_000)
    expect(counted).toBe(statement.scan?.withCondition('count_row()'))
  })

  test.each([
    ['unless keys lead to its rows and another table is scanned', 'id = +? and exists (select 1 from cities c, sixty)'],
    ['unless another table is scanned, too', 'area in (select sixty.rowid from sixty where name > +?)'],
    ['unless the same table is scanned, too', 'area > (select max(area) from cities where name < +?)'],
    ['unless all are read to sort them', 'area > +?', 'name, id'],
    ['unless two indexes are read', 'country = +? or size = 3'],
    ['unless a function of ours is called for each row', 'casefold(name) = +?'],
  ])('%s', (_reason, where, order = 'size, id') => {
    const { most, counted } = scanPlan(connection, page({ where, order }), ['1', 7, 0])
    expect(most(['1', 7, 0])).toBeGreaterThan(2_000)
    expect(counted).toBeUndefined()
  })

  test('unless there are few, or none but those that keys lead to', () => {
    const few = { text: 'select * from sixty where name = +?' }
    expect(scanPlan(connection, few, ['1']).most(['1'])).toBe(60)
    const none = scanPlan(connection, page({ where: 'id = +?', order: 'size, id' }), ['1', 7, 0])
    expect([none.most(['1', 7, 0]), none.counted]).toEqual([0, undefined])
  })

  test('unless an index is searched for each value of its first column', () => {
    const sparse = new Database(':memory:')
    sparse.function('count_row', () => 1)
    sparse.exec(`
      create table cities (id integer primary key, kind integer, size integer);
      create index cities_kind on cities (kind, size);
      with recursive r(n) as (select 1 union all select n + 1 from r where n < 9000)
        insert into cities select n, n % 4, n from r;
      analyze;`)
    const statement = page({ where: 'size = +?', order: 'id' })
    const plan = sparse.prepare(`explain query plan ${statement.text}`).all(1, 7, 0)
    expect(JSON.stringify(plan)).toContain('ANY(kind)')
    expect(scanPlan(new SqliteConnection(sparse), statement, [1, 7, 0]).counted).toBeUndefined()
    sparse.close()
  })
})

test('a Bloom filter goes through the table that it is made of', () => {
  const joining = new Database(':memory:')
  joining.exec(`
    create table cities (id integer primary key, country integer, name text);
    create table countries (id integer primary key, name text);
    with recursive r(n) as (select 1 union all select n + 1 from r where n < 9000)
      insert into cities select n, n, n from r;
    insert into countries select id, name from cities where id <= 3000;
    analyze;`)
  const text = 'select count(*) from cities join countries on countries.id = cities.country where countries.name > ?'
  const plan = JSON.stringify(joining.prepare(`explain query plan ${text}`).all('1'))
  expect(plan).toContain('BLOOM FILTER ON countries')
  expect(scanPlan(new SqliteConnection(joining), { text }, ['1']).most(['1'])).toBe(9_000 ** 2)
  joining.close()
})

describe('a statement is short', () => {
  const plans = () => new SqlitePlans(connection)
  const isShort = (known: SqlitePlans, text: string) => known.of({ text }, ['x']).isShort(['x'])
  beforeAll(() => {
    handle.exec(`
      create table counted (id integer primary key, name text);
      insert into counted select rowid, name from cities where rowid <= 2000;`)
  })
  afterEach(() => vi.restoreAllMocks())

  test('if it scans at most 2,000 rows, by the plan that is read every ten seconds', () => {
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
    const known = plans()
    const text = 'select * from counted where name = ?'
    expect(isShort(known, text)).toBe(true)
    handle.exec("insert into counted values (2001, 'x')")
    clock.mockReturnValue(9_999)
    expect(isShort(known, text)).toBe(true)
    clock.mockReturnValue(10_000)
    expect(isShort(known, text)).toBe(false)
    handle.exec('create unique index counted_name on counted (name)')
    expect(isShort(plans(), text)).toBe(true)
  })

  test('no longer, once a commit has made its table much larger', async () => {
    await withFile('', async path => {
      const writer = new Database(path)
      writer.pragma('journal_mode = wal')
      writer.exec('create table grown (id integer primary key, name text, size integer)')
      writer.exec("insert into grown values (1, 'a', 1)")
      const reader = SqliteConnection.openReader(path, { busyTimeout: 0, synchronous: 'off' })
      const known = new SqlitePlans(reader)
      const asked = vi.spyOn(reader, 'iterate')
      const text = "select * from grown where name like '%' || ?"
      expect(isShort(known, text)).toBe(true)
      writer.exec('insert into grown values (2, 2, 2)')
      asked.mockClear()
      expect(isShort(known, text)).toBe(true)
      expect(asked).toHaveBeenCalledTimes(1)
      expect(isShort(known, text)).toBe(true)
      expect(asked).toHaveBeenCalledTimes(1)
      writer.exec(`insert into grown with recursive n(i) as (select 3 union all select i + 1 from n where i < 9000)
        select i, i, i from n`)
      expect(isShort(known, text)).toBe(false)
      reader.close()
      writer.close()
    })
  })

  test('by the values of the run, and not by earlier ones', () => {
    const known = plans()
    const short = (limit: number) => known.of(page({ order: 'size, id' }), [limit, 0]).isShort([limit, 0])
    expect([1, 2_001, 2_000].map(short)).toEqual([true, false, true])
  })

  test('if it scans at most 200 rows and calls a function of ours for them', () => {
    handle.exec(`
      create table small (id integer primary key, name text);
      insert into small select rowid, name from cities where rowid <= 200;`)
    const search = 'select * from small where casefold(name) = ?'
    expect(isShort(plans(), search)).toBe(true)
    handle.exec("insert into small values (201, 'x')")
    expect(isShort(plans(), search)).toBe(false)
    expect(isShort(plans(), 'select * from small where name = ?')).toBe(true)
  })
})

test('after a counted run that was too long, 16 runs go to a thread, and twice as many after the next', () => {
  const statement = page({ where: 'area > +?', order: 'size, id' })
  const known = new SqlitePlans(connection).of(statement, ['1', 7, 0])
  const untilCounted = () => {
    let runs = 0
    while (known.counted() === undefined) runs++
    return runs
  }
  expect(untilCounted()).toBe(0)
  const pauses = Array.from({ length: 9 }, () => {
    known.ran(true)
    return untilCounted()
  })
  expect(pauses).toEqual([16, 32, 64, 128, 256, 512, 1_024, 1_024, 1_024])
  known.ran(false)
  expect(untilCounted()).toBe(0)
  known.ran(true)
  expect(untilCounted()).toBe(16)
})
