import './core/check-node.ts'

export { type CsvOptions, csvWriter } from './tabular/csv/write.ts'
export { TabularError, type TabularErrorCode } from './tabular/errors.ts'
export type { PageSize } from './tabular/pdf/page-layout.ts'
export { type PdfOptions, pdfWriter } from './tabular/pdf/write.ts'
export {
  type CsvStyle,
  type HeaderRow,
  type ImportFormat,
  type ReadCell,
  type ReadFile,
  type ReadRow,
  type ReadSheet,
  SheetError,
  SheetMoment,
  SheetNumber,
  type SheetRemarks,
} from './tabular/read/file.ts'
export type { ReadLimits } from './tabular/read/limits.ts'
export { type OpenOptions, openTabular } from './tabular/read/open.ts'
export {
  type Alignment,
  type Cell,
  type CellForm,
  type CellRow,
  GreyCell,
  type PlainCell,
  type RowBatches,
  type TabularColumn,
  type TabularKind,
  WrongCell,
} from './tabular/table.ts'
export type { TabularWarning, TabularWriter, WriteOptions } from './tabular/writer.ts'
export type { CellNote } from './tabular/xlsx/notes.ts'
export { type Sheet, type XlsxOptions, type XlsxWriter, xlsxWriter } from './tabular/xlsx/write.ts'
