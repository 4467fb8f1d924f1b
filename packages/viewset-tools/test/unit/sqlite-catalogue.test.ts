import Database from 'better-sqlite3'
import { sqlite } from 'viewset/sqlite'
import { afterAll, expect, test } from 'vitest'
import { readSqliteCatalogue } from '../../src/catalogue/sqlite-catalogue.ts'

const handle = new Database(':memory:')
handle.exec(`
  create table logs (
    name text,
    label text collate nocase,
    price decimal(10, 2),
    upper_name text as (upper(coalesce(name, ')'))) stored
  );
  create index of_name on logs (name, label desc);
  create index of_folded on logs (name collate nocase, label);
  create index of_some on logs (name) where price > 0;
  create index of_expressions on logs (lower(name), coalesce(label, 'a,b'), price);`)
afterAll(() => handle.close())

const tables = await readSqliteCatalogue(sqlite(handle).driver)
const index = (name: string) => tables[0]?.indexes.find(found => found.name === name)

test('an index on columns has these, and is in their order', () => {
  const columns = [
    { name: 'name', descending: false },
    { name: 'label', descending: true },
  ]
  expect(index('of_name')).toMatchObject({ order: columns, expressions: [] })
})

test('an index by another collation than its column is in no order that reads know', () => {
  expect(index('of_folded')).toMatchObject({ columns: null, order: [], expressions: [] })
})

test('an index of some rows is none on its columns', () => {
  expect(index('of_some')).toMatchObject({ columns: null, order: [], expressions: [] })
})

test('an index on expressions has each of them, with the commas within', () => {
  const expressions = ['lower(name)', "coalesce(label, 'a,b')", 'price']
  expect(index('of_expressions')).toMatchObject({ columns: null, order: [], expressions })
})

test('a generated column has its expression', () => {
  expect(tables[0]?.columns.map(({ name, generated }) => [name, generated])).toEqual([
    ['name', null],
    ['label', null],
    ['price', null],
    ['upper_name', "upper(coalesce(name, ')'))"],
  ])
})
