// What a signature mentions can be named.
import type {
  ColumnInfo,
  ColumnPath,
  Dialect,
  Driver,
  ExpressionValue,
  Json,
  KitInteger,
  ModelInfo,
  PdfOptions,
  PrimaryKeyOf,
  ReadLimits,
  RecordMethods,
  ResourceConfig,
  SerializerTypes,
  Shown,
  Statement,
  TableConstraint,
  TabularWarning,
  ViewContext,
} from 'viewset'

export type Named = [
  ColumnInfo,
  ColumnPath,
  Dialect,
  Driver,
  ExpressionValue,
  Json<Date>,
  KitInteger,
  ModelInfo,
  PrimaryKeyOf<never>,
  RecordMethods<never>,
  ResourceConfig,
  SerializerTypes,
  Shown<bigint, string>,
  Statement,
  TableConstraint,
  ViewContext,
]
export const limits = (maxRows: number): Partial<ReadLimits> => ({ maxRows })
export const options: PdfOptions = { pageSize: 'A4' }
export const describe = ({ code, message }: TabularWarning) => `${code}: ${message}`
