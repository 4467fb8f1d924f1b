import type { BenchCase } from '../case.ts'
import { list } from './list.ts'
import { listWithoutCount } from './list-without-count.ts'
import { retrieve } from './retrieve.ts'

/** Every case, in the order of the report. A new one is a file here and a line in this list. */
export const cases: readonly BenchCase[] = [list, listWithoutCount, retrieve]
