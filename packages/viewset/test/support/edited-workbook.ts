import { type CellValue, readXlsx, writeXlsx } from 'hucre/xlsx'

/** A template without its guide, as a program that keeps its rows only. Its example is then a row like others. */
export async function withoutGuide(bytes: Uint8Array): Promise<Buffer> {
  const { sheets } = await readXlsx(bytes)
  const kept = sheets.filter(({ name }) => name !== 'How to fill this in' && name !== '_lists')
  return Buffer.from(await writeXlsx({ sheets: kept.map(({ name, rows }) => ({ name, rows })) }))
}

/** The cells of a sheet by the header of their column. */
export type EditableRow = Record<string, CellValue>

/**
 * A workbook as another program saves it after an edit of its first sheet. `edit` gets the rows by header, and returns
 * the rows to keep, in any order.
 */
export async function editedWorkbook(
  bytes: Uint8Array,
  edit: (rows: EditableRow[]) => readonly EditableRow[],
  headersOf: (headers: readonly string[]) => readonly string[] = headers => headers,
): Promise<Buffer> {
  const { sheets } = await readXlsx(bytes)
  const [visible, ...others] = sheets
  const [header = [], ...body] = visible?.rows ?? []
  const headers = header.map(String)
  const rows = body.map(cells => Object.fromEntries(headers.map((name, at) => [name, cells[at] ?? null])))
  const written = edit(rows).map(row => headersOf(headers).map(name => row[name] ?? null))
  const saved = await writeXlsx({
    sheets: [
      { name: visible?.name ?? '', rows: [[...headersOf(headers)], ...written] },
      ...others.map(({ name, rows: kept }) => ({ name, rows: kept, veryHidden: true })),
    ],
  })
  return Buffer.from(saved)
}
