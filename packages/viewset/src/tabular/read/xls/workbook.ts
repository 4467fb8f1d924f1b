import { message } from '../../../core/messages/message.ts'
import { TabularError } from '../../errors.ts'
import type { SheetSource } from '../found-row.ts'
import type { ReadLimits } from '../limits.ts'
import { SheetView } from '../sheet-view.ts'
import { xlsGlobals } from './globals.ts'
import { OleFile } from './ole.ts'
import { xlsRows } from './sheet.ts'

/** The sheets of an XLS workbook (Excel 5 to 2003). Only its stream and its texts are in memory. */
export async function xlsSheets(path: string, limits: ReadLimits): Promise<SheetSource[]> {
  return readable(async () => {
    const stream = await OleFile.use(path, async ole => (await ole.stream('Workbook')) ?? (await ole.stream('Book')))
    if (!stream) throw new RangeError('The file has no workbook.')
    const globals = xlsGlobals(stream)
    return globals.sheets.map(({ name, isHidden, start }) => {
      let view: SheetView | undefined
      return {
        name,
        isHidden,
        async *rows() {
          view = new SheetView()
          const rows = xlsRows(stream, start, { globals, limits, view })
          for (;;) {
            const { done, value } = await readable(async () => rows.next())
            if (done) return
            yield value
          }
        },
        view: () => view,
      }
    })
  })
}

/** Positions beyond the end of a damaged file are a `RangeError`. */
async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    throw new TabularError('unreadable', message('unreadable.xls'), error)
  }
}
