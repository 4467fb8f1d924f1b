import { createReadStream } from 'node:fs'
import { parse } from 'csv-parse'
import { upsertTowns as upsertOnPg } from './floor-pg.ts'
import { upsertTowns as upsertOnSqlite } from './floor-sqlite.ts'

/** Rows of one statement. */
const BATCH = 2_000

export interface ImportCounts {
  readonly created: number
  readonly updated: number
  readonly failed: number
}

/** A row as the statements take it. */
export type TownRow = readonly [id: string, countryId: string | undefined, ...cells: string[]]

/** A database, for one file after another. */
export interface TownWriter {
  /** Begins the transaction of a file; returns the ids of the countries by their codes. */
  begin(): ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>
  /** Upserts rows and returns how many of them are new. */
  upsert(rows: readonly TownRow[]): number | Promise<number>
  commit(): void | Promise<void>
}

/** What a good engineer would write by hand for a file that has no bad row: nothing is checked. */
export async function floorImporter(
  dialect: 'pg' | 'sqlite',
  location: string,
): Promise<(path: string) => Promise<ImportCounts>> {
  const writer = await (dialect === 'pg' ? upsertOnPg : upsertOnSqlite)(location)
  return path => importTowns(writer, path)
}

async function importTowns(writer: TownWriter, path: string): Promise<ImportCounts> {
  const countries = await writer.begin()
  let created = 0
  let count = 0
  let batch: TownRow[] = []
  const flush = async () => {
    created += await writer.upsert(batch)
    count += batch.length
    batch = []
  }
  for await (const [code, ...cells] of createReadStream(path).pipe(parse({ from_line: 2 }))) {
    batch.push([crypto.randomUUID(), countries.get(code), ...cells])
    if (batch.length === BATCH) await flush()
  }
  if (batch.length > 0) await flush()
  await writer.commit()
  return { created, updated: count - created, failed: 0 }
}
