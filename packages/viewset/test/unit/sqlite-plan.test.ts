import Database from 'better-sqlite3'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { SqliteConnection } from '../../src/store/dialect/sqlite-connection.ts'
import { SqliteCosts } from '../../src/store/dialect/sqlite-costs.ts'
import { reachOf } from '../../src/store/dialect/sqlite-plan.ts'

const handle = new Database(':memory:')
const connection = new SqliteConnection(handle)

beforeAll(() => {
  handle.exec(`
    create table countries (id text primary key, name text);
    create table "odd ""name" (id integer primary key, name text);
    create table cities (id text primary key, country text, name text, size integer);
    create index cities_country on cities (country, size);
    create unique index cities_name on cities (country, name);
    create table keyed (a text, b text, primary key (a, b)) without rowid;
    create virtual table words using fts5 (word);
    with recursive r(n) as (select 1 union all select n + 1 from r where n < 3000)
      insert into cities select n, n, n, n from r;
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
  ['few', 'select * from "odd ""name" where name = ?'],
  ['few', 'select * from sqlite_schema'],
  ['many', 'select count(*) from cities'],
  ['many', 'select max(rowid) from cities where name like ?'],
  ['many', 'select * from cities where country = ?'],
  ['many', 'select * from cities where country = ? and size > ?'],
  ['many', 'select * from cities where rowid > ?'],
  ['many', 'select * from cities c order by c.size limit 3'],
  ['many', 'select *, (select count(*) from cities where country = countries.id) as n from countries order by n'],
  ['many', 'select * from keyed where b = ?'],
  ['many', 'select * from words where word match ?'],
  ['many', 'with recursive r(n) as (select 1 union all select n + 1 from r) select * from r limit 1'],
])('reads %s: %s', (reach, text) => {
  const values = Array(text.split('?').length - 1).fill('1')
  expect(reachOf(connection, text, values)).toBe(reach)
})

describe('a statement that may go through many rows', () => {
  const many = () => 'many' as const
  const few = () => 'few' as const
  const cost = () => new SqliteCosts().of('a')

  test('comes back from the threads once it was quick there', () => {
    const one = cost()
    expect(one.isLong(many)).toBe(true)
    one.took(1, 'thread')
    expect(one.isLong(many)).toBe(false)
  })

  test('comes back later the slower it was there', () => {
    const one = cost()
    expect(one.isLong(many)).toBe(true)
    one.took(20, 'thread')
    for (let n = 0; n < 100; n++) {
      expect(one.isLong(many)).toBe(true)
      one.took(1, 'thread')
    }
    expect(one.isLong(many)).toBe(false)
  })

  test('holds the process for a fifth of a millisecond per run and one run more, whatever somebody makes of it', () => {
    const time = fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 10_000 }))
    fc.assert(
      fc.property(fc.infiniteStream(time), fc.infiniteStream(time), (inProcess, inThread) => {
        const one = cost()
        let held = 0
        let longest = 0
        for (let n = 1; n <= 2_000; n++) {
          const place = one.isLong(many) ? 'thread' : 'process'
          const [taken = 0] = (place === 'process' ? inProcess : inThread).take(1)
          one.took(taken, place)
          if (place === 'thread' || taken <= 10) continue
          held += taken
          longest = Math.max(longest, taken)
          expect(held).toBeLessThanOrEqual(n / 5 + longest)
        }
      }),
    )
  })

  test('is not one that keys lead to, however long it takes', () => {
    const one = cost()
    for (let n = 0; n < 3; n++) one.took(200, 'process')
    expect(one.isLong(() => 'keys')).toBe(false)
  })

  test('is one with few rows that has taken long', () => {
    const one = cost()
    expect(one.isLong(few)).toBe(false)
    one.took(200, 'process')
    expect(one.isLong(few)).toBe(true)
  })

  test('need not be one: what has been quick, and slow for less than half a second, may have met a pause', () => {
    const one = cost()
    expect(one.isLong(few)).toBe(false)
    one.took(200, 'process')
    expect(one.mayBeQuick).toBe(false)
    one.took(1, 'thread')
    expect(one.mayBeQuick).toBe(true)
    one.took(200, 'process')
    expect(one.mayBeQuick).toBe(true)
    one.took(200, 'process')
    expect(one.mayBeQuick).toBe(false)
  })
})
