import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { ManyField } from '../serializer/fields.ts'
import type { ModelSerializer } from '../serializer/model-serializer.ts'
import type { Cell, CellRow, RowBatches } from '../tabular/table.ts'
import { removeFolder, storageError, temporaryFolder } from '../tabular/temporary-folder.ts'
import type { Sheet } from '../tabular/xlsx/write.ts'
import { type ExportColumn, exportColumns } from './export-columns.ts'
import { clientRowReader, type ExportRow } from './export-request.ts'

/** A list of records that a workbook shows on a sheet of its own. */
interface RelatedList {
  /** The position of its column. */
  readonly at: number
  readonly column: ExportColumn
  readonly columns: readonly ExportColumn[]
  readonly read: (record: ExportRow) => CellRow
}

/** The lists of records among the columns of an export. */
export function relatedLists(subject: string, columns: readonly ExportColumn[]): readonly RelatedList[] {
  return columns.flatMap((column, at): RelatedList[] => {
    const { source } = column
    if (source.from !== 'toMany' || !showsRecords(source.field)) return []
    const { standard } = exportColumns(subject, source.field.serializer, undefined)
    return [{ at, column, columns: standard, read: clientRowReader(standard) }]
  })
}

function showsRecords(field: ManyField): field is ManyField & { readonly serializer: ModelSerializer } {
  return field.read === 'data' && field.serializer !== undefined
}

/**
 * The sheets of a workbook with lists of records: the rows with the number of records in each list, then a sheet for
 * each list. Its rows begin with the cell that names their record. They wait in a file until the first sheet is
 * written, so all sheets are of one moment and memory does not grow.
 */
export async function* relatedSheets(
  name: string,
  columns: readonly ExportColumn[],
  rows: RowBatches,
  lists: readonly RelatedList[],
): AsyncGenerator<Sheet> {
  const folder = await temporaryFolder('export')
  const kept = lists.map(({ at }) => new KeptRows(join(folder, String(at))))
  const naming = namingColumn(columns)
  try {
    const counted = columns.map((column, at): ExportColumn => {
      return lists.some(list => list.at === at) ? { ...column, kind: 'integer' } : column
    })
    yield { name, columns: counted, rows: divided(rows, naming, lists, kept) }
    for (const [index, { column, columns: own }] of lists.entries()) {
      const first = columns[naming]
      const shown = first ? [first, ...own] : own
      yield { name: column.header, columns: shown, rows: (kept[index] as KeptRows).read() }
    }
  } catch (error) {
    throw storageError(error, folder)
  } finally {
    for (const list of kept) await list.close()
    await removeFolder(folder)
  }
}

/** The primary key if the file has it, else the first column that is no list; -1 if there is none. */
function namingColumn(columns: readonly ExportColumn[]): number {
  const isKey = ({ source }: ExportColumn) =>
    source.from === 'column' && source.steps.length === 0 && source.column.primaryKey
  const key = columns.findIndex(isKey)
  return key === -1 ? columns.findIndex(({ source }) => source.from !== 'toMany') : key
}

async function* divided(
  batches: RowBatches,
  naming: number,
  lists: readonly RelatedList[],
  kept: readonly KeptRows[],
): AsyncGenerator<readonly CellRow[]> {
  for await (const rows of batches) {
    const divided = rows.map(row => [...row])
    for (const [index, { at, read }] of lists.entries()) {
      const related: CellRow[] = []
      for (const row of divided) {
        const records = recordsIn(row[at])
        if (records === undefined) continue
        const name = naming === -1 ? [] : [row[naming] ?? null]
        for (const record of records) related.push([...name, ...read(record)])
        row[at] = records.length
      }
      await kept[index]?.add(related)
    }
    yield divided
  }
}

/** A client's row may have another value than a list. */
function recordsIn(cell: Cell | undefined): readonly ExportRow[] | undefined {
  if (typeof cell !== 'string' || !cell.startsWith('[')) return undefined
  const list = parsed(cell)
  const isRecord = (item: unknown): item is ExportRow => typeof item === 'object' && item !== null
  return Array.isArray(list) && list.every(isRecord) ? list : undefined
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

const LENGTH_BYTES = 4

/** Rows that wait in a file. */
class KeptRows {
  readonly #path: string
  #file: FileHandle | undefined
  #size = 0

  constructor(path: string) {
    this.#path = path
  }

  async add(rows: readonly CellRow[]): Promise<void> {
    if (rows.length === 0) return
    const bytes = serialize(rows)
    const length = Buffer.alloc(LENGTH_BYTES)
    length.writeUInt32LE(bytes.length)
    this.#file ??= await open(this.#path, 'wx+', 0o600)
    await this.#file.writev([length, bytes], this.#size)
    this.#size += LENGTH_BYTES + bytes.length
  }

  async *read(): AsyncGenerator<readonly CellRow[]> {
    for (let at = 0; at < this.#size; ) {
      const length = (await this.#bytes(at, LENGTH_BYTES)).readUInt32LE()
      yield deserialize(await this.#bytes(at + LENGTH_BYTES, length)) as readonly CellRow[]
      at += LENGTH_BYTES + length
    }
  }

  async #bytes(at: number, length: number): Promise<Buffer> {
    const bytes = Buffer.alloc(length)
    await this.#file?.read(bytes, 0, length, at)
    return bytes
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
  }
}
