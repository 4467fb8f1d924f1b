import type { BenchCase } from '../case.ts'
import { exportCsv } from './export-csv.ts'
import { list } from './list.ts'
import { listWithoutCount } from './list-without-count.ts'
import { orderByCityCount } from './order-by-city-count.ts'
import { retrieve, retrieveVersion } from './retrieve.ts'
import { unpaginated } from './unpaginated.ts'
import { bulkCreate, bulkDelete, bulkPatch, bulkPut, create, patch, patchVersion, put } from './writes.ts'

/** Every case, in the order of the report. A new one is an export here and a line in this list. */
export const cases: readonly BenchCase[] = [
  list,
  listWithoutCount,
  retrieve,
  retrieveVersion,
  orderByCityCount,
  unpaginated,
  exportCsv,
  create,
  put,
  patch,
  patchVersion,
  bulkCreate,
  bulkPatch,
  bulkPut,
  bulkDelete,
]
