import { writeXlsx } from 'hucre/xlsx'

type Cell = string | number | boolean | null

/** An XLSX file with these sheets, each by its rows. */
export async function workbook(sheets: Readonly<Record<string, readonly (readonly Cell[])[]>>): Promise<Buffer> {
  const bytes = await writeXlsx({
    sheets: Object.entries(sheets).map(([name, rows]) => ({ name, rows: rows.map(row => [...row]) })),
  })
  return Buffer.from(bytes)
}
