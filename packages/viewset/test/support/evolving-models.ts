import { is, Table } from 'drizzle-orm'
import type { PgColumnBuilderBase } from 'drizzle-orm/pg-core'
import fc from 'fast-check'
import type { ColumnKit, User } from 'viewset'
import type { KindName } from '../../src/kinds/kind.ts'
import { AUDIT_FIELDS, type ColumnInfo, modelInfo, SOFT_DELETE_FIELDS } from '../../src/model/model-info.ts'
import { shopTables } from '../security/tenant-shop.ts'
import { albumTables } from './albums.ts'
import { geography } from './import-models.ts'
import { library } from './library.ts'
import { millionTowns } from './million-towns.ts'
import { models } from './models.ts'
import { notesTable } from './notes.ts'
import { orders } from './orders.ts'
import { shop } from './shop.ts'
import { stockTables } from './stock.ts'
import { undoModels } from './undo-models.ts'

export const isBoss = (user: User | null) => user?.id === 'boss'

/** A value that the type of today cannot hold. */
export const MISFIT = Symbol('misfit')

type Make = (c: ColumnKit) => PgColumnBuilderBase

interface Retype {
  readonly make: Make
  convert(value: unknown): unknown
}

interface KindOfColumn {
  readonly make: Make
  /** Values as JSON shows them. */
  readonly values: readonly unknown[]
  readonly retypes: readonly Retype[]
}

const asText: Retype = { make: c => c.text(60), convert: String }

const INTEGER: KindOfColumn = {
  make: c => c.integer(),
  values: [0, 1, 7, -3],
  retypes: [
    { make: c => c.decimal(12, 2), convert: value => `${value}.00` },
    { make: c => c.bigint(), convert: value => value },
    { make: c => c.float(), convert: value => value },
    asText,
  ],
}
const TEXT: KindOfColumn = {
  make: c => c.text(40),
  values: ['a', 'b c', '5', '12'],
  retypes: [
    { make: c => c.integer(), convert: value => (/^\d+$/.test(String(value)) ? Number(value) : MISFIT) },
    { make: c => c.text(90), convert: value => value },
  ],
}

const KINDS: { readonly [K in KindName]?: KindOfColumn } = {
  integer: INTEGER,
  text: TEXT,
  enumeration: TEXT,
  bigint: {
    make: c => c.bigint(),
    values: [5, -7, '9007199254740993'],
    retypes: [asText, { make: c => c.integer(), convert: value => (typeof value === 'number' ? value : MISFIT) }],
  },
  decimal: {
    make: c => c.decimal(8, 2),
    values: ['0.00', '5.50', '7.00'],
    retypes: [
      { make: c => c.decimal(12, 3), convert: value => `${value}0` },
      {
        make: c => c.integer(),
        convert: value => (String(value).endsWith('.00') ? Number(value) : MISFIT),
      },
      asText,
    ],
  },
  boolean: { make: c => c.boolean(), values: [true, false], retypes: [asText] },
  date: {
    make: c => c.date(),
    values: ['2026-01-15', '2027-02-28'],
    retypes: [{ make: c => c.timestamp(), convert: value => `${value}T00:00:00.000000Z` }, asText],
  },
  timestamp: {
    make: c => c.timestamp(),
    values: ['2026-01-15T10:30:00.000000Z', '2026-01-15T00:00:00.000000Z'],
    retypes: [
      {
        make: c => c.date(),
        convert: value => (String(value).endsWith('T00:00:00.000000Z') ? String(value).slice(0, 10) : MISFIT),
      },
      asText,
    ],
  },
  uuid: {
    make: c => c.uuid(),
    values: ['019bc134-7840-7d21-9c3e-5f0a8b6d4e12', '7b3f1c5e-4a52-4f0e-9d7b-3f9f0f6f2a11'],
    retypes: [asText],
  },
  time: { make: c => c.time(), values: ['10:30:00', '23:59:59'], retypes: [asText] },
  float: { make: c => c.float(), values: [0.5, -2, 3], retypes: [] },
  json: { make: c => c.json(), values: [{ a: 1 }, [1, 'b']], retypes: [] },
}

interface EvolvingColumn {
  /** The name in code. */
  readonly key: string
  readonly kind: KindOfColumn
}

/** The columns of a model, without those that Viewset fills and without foreign keys. */
export interface EvolvingModel {
  readonly name: string
  readonly columns: readonly EvolvingColumn[]
}

/** Every model of the tests' worlds, as a table of its own with the same columns. */
export function evolvingModels(c: ColumnKit): readonly EvolvingModel[] {
  const { countries, ...towns } = undoModels(c)
  const worlds = {
    albums: albumTables(c),
    geography: geography(c),
    library: library(c),
    million: millionTowns(c),
    models: models(c),
    notes: { notes: notesTable(c) },
    orders: orders(c),
    shop: shop(c),
    stock: stockTables(c),
    tenants: shopTables(c),
    towns: { countries, towns: towns.towns, labels: towns.labels },
  }
  return Object.entries(worlds).flatMap(([world, tables]) =>
    Object.entries(tables).flatMap(([key, table]) => {
      if (!is(table, Table)) return []
      const columns = modelInfo(table).columns.flatMap(evolvingColumn)
      return columns.length > 0 ? [{ name: `${world}_${key}`.toLowerCase(), columns }] : []
    }),
  )
}

function evolvingColumn({ key, kind, column }: ColumnInfo): readonly EvolvingColumn[] {
  const isFilled = AUDIT_FIELDS.has(key) || SOFT_DELETE_FIELDS.has(key) || key === 'version' || key === 'id'
  const known = KINDS[kind]
  // Each table has a column of this name, by which the test knows its records.
  const name = key === 'code' ? 'ownCode' : key
  return isFilled || column.primary || !known ? [] : [{ key: name, kind: known }]
}

/** What a migration does to a column, and who may read it in the second release. */
export interface ColumnChange {
  readonly key: string
  readonly fate: 'kept' | 'renamed' | 'dropped' | 'retyped' | 'renamed and retyped'
  /** Only the boss reads it. */
  readonly isSecret: boolean
  /** Who may read a dropped column. */
  readonly readableBy: 'all' | 'boss' | undefined
  readonly retype: number
}

export function changesOf({ columns }: EvolvingModel): fc.Arbitrary<readonly ColumnChange[]> {
  return fc.tuple(
    ...columns.map(({ key, kind }) => {
      const fates = ['kept', 'renamed', 'dropped', 'retyped', 'renamed and retyped'] as const
      return fc.record({
        key: fc.constant(key),
        fate: fc.constantFrom(...fates.filter(fate => kind.retypes.length > 0 || !fate.includes('retyped'))),
        isSecret: fc.integer({ min: 1, max: 3 }).map(n => n === 1),
        readableBy: fc.constantFrom('all' as const, 'boss' as const, undefined),
        retype: fc.nat(),
      })
    }),
  )
}

/** A column after the migration. */
export interface LaterColumn {
  /** The name in the first release: in code, and in the database and the JSON. */
  readonly key: string
  readonly wire: string
  /** The names in the second release; the old ones of a dropped column. */
  readonly laterKey: string
  readonly laterWire: string
  readonly isDropped: boolean
  readonly make: Make
  convert(value: unknown): unknown
  isReadableBy(user: string): boolean
}

export function laterColumns(
  c: ColumnKit,
  model: EvolvingModel,
  changes: readonly ColumnChange[],
): readonly LaterColumn[] {
  return model.columns.map(({ key, kind }, at): LaterColumn => {
    const change = changes[at] as ColumnChange
    const isRenamed = change.fate.startsWith('renamed')
    const retype = change.fate.endsWith('retyped') ? kind.retypes[change.retype % kind.retypes.length] : undefined
    const [wire, laterKey] = [wireOf(c, key), isRenamed ? `${key}Now` : key]
    const isDropped = change.fate === 'dropped'
    const { readableBy } = change
    return {
      key,
      wire,
      laterKey,
      laterWire: wireOf(c, laterKey),
      isDropped,
      make: retype?.make ?? kind.make,
      convert: value => (value === null ? null : (retype?.convert(value) ?? value)),
      isReadableBy: user => {
        if (isDropped) return readableBy === 'all' || (readableBy === 'boss' && user === 'boss')
        return !change.isSecret || user === 'boss'
      },
    }
  })
}

function wireOf(c: ColumnKit, key: string): string {
  return modelInfo(c.table('names', { id: c.integer().primaryKey(), [key]: c.integer() })).byKey.get(key)?.wire ?? key
}
