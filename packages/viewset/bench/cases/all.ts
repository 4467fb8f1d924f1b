import type { BenchCase } from '../case.ts'
import { exportCsv } from './export-csv.ts'
import { list } from './list.ts'
import { listWithoutCount } from './list-without-count.ts'
import { orderByCityCount } from './order-by-city-count.ts'
import { retrieve } from './retrieve.ts'
import { unpaginated } from './unpaginated.ts'
import { bulkCreate, bulkDelete, bulkPatch, bulkPut, create, patch, put } from './writes.ts'

/** Every case, in the order of the report. A new one is an export here and a line in this list. */
export const cases: readonly BenchCase[] = [
  list,
  listWithoutCount,
  retrieve,
  orderByCityCount,
  unpaginated,
  exportCsv,
  create,
  put,
  patch,
  bulkCreate,
  bulkPatch,
  bulkPut,
  bulkDelete,
]
