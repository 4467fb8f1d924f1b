import { AllowAny, BaseModelSerializer, BulkImportableViewSet, importModel, ValidationError } from 'viewset'
import { describe, expect, test } from 'vitest'
import { ProblemList } from '../../src/importing/write/problem-list.ts'
import type { ImportRowProblem } from '../../src/model/row-error.ts'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { form } from '../support/multipart.ts'
import { workbook } from '../support/workbook.ts'

interface Groups {
  readonly error_groups?: readonly object[]
  readonly warning_groups?: readonly object[]
}

describeOneDialect('groups of errors', dialect => {
  const { kit } = dialect
  const goods = kit.table('goods', {
    id: kit.integer().primaryKey(),
    code: kit.text(10).notNull().unique(),
    amount: kit.integer(),
    pin: kit.text(4),
  })
  const { jobs, jobErrors } = kit.JobTables()
  const queue = new ManualQueue()
  const resource = (chunkSize?: number) =>
    BulkImportableViewSet({
      model: goods,
      serializer: BaseModelSerializer(goods, { fields: ['id', 'code', 'amount', 'pin'], writeOnly: ['pin'] }),
      permissionClasses: [AllowAny],
      importFileConfig: {
        fileFormat: ['csv', 'xlsx'],
        order: ['goods'],
        ...(chunkSize && { chunkSize }),
        prepareRow(row, { warn }) {
          if (row.note !== null && row.note !== undefined) warn('note', `The note ${row.note} is not read.`)
          if (row.code === 'bad') throw new ValidationError({ note: ['This note is bad.'] })
          return row
        },
        models: {
          goods: importModel({ model: goods, fields: ['code', 'amount', 'pin'], uniqueFields: ['code'] }),
        },
      },
    })
  const api = useApi(dialect, {
    tables: { goods, jobs, jobErrors },
    resources: { goods: resource(), chunks: resource(3) },
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
  })
  const send = async (content: string | Uint8Array, fields: Readonly<Record<string, string>> = {}, name = 'goods') => {
    const parts = Object.entries({ append_data: 'true', ...fields }).map(([name, value]) => ({ name, value }))
    const file = { name: 'file', filename: 'goods', content }
    return api.post(`/${name}/import-from-file/`, undefined, form(file, ...parts))
  }
  const group = (field: string, code: string, rows: string, count: number, examples: readonly unknown[]) =>
    expect.objectContaining({ field, column: field, code, rows, count, examples, model: 'goods' })
  const HEADER = 'code,amount,pin,note\n'
  const FILE = `${HEADER}a,x,1,\nb,y,1,\nc,z,1,\nd,1,1,see\ne,x,1,\n,1,1,\nbad,1,1,why\ng,,12345,\n`
  const GROUPS = [
    group('amount', 'invalid_integer', '2-4, 6', 4, ['x', 'y', 'z']),
    group('code', 'required', '7', 1, []),
    group('note', 'invalid', '8', 1, ['why']),
    group('pin', 'max_length', '9', 1, []),
  ]

  test('have the rows of each code and field, with cells of the file; those of most rows come first', async () => {
    const { error_groups, warning_groups } = (await send(FILE)).data<Groups>()
    expect(error_groups).toEqual(GROUPS)
    expect(error_groups?.[0]).toMatchObject({ message: '"x" is not a whole number. Write it like 42.' })
    expect(warning_groups).toEqual([group('note', 'invalid', '5', 1, ['see'])])
  })

  test('show no cell of a write-only field', async () => {
    expect(JSON.stringify((await send(FILE)).data<Groups>().error_groups)).not.toContain('12345')
  })

  test('are absent if there are none', async () => {
    const data = (await send(`${HEADER}a,1,1,\n`)).data<Groups>()
    expect(Object.keys(data)).not.toContain('error_groups')
    expect(Object.keys(data)).not.toContain('warning_groups')
  })

  test('are those of a dry run, a replace, a file in chunks and a job, too', async () => {
    for (const fields of [{ dry_run: 'true' }, { append_data: 'false' }]) {
      expect((await send(FILE, fields)).data<Groups>().error_groups).toEqual(GROUPS)
    }
    expect((await send(FILE, {}, 'chunks')).data<Groups>().error_groups).toEqual(GROUPS)
    for (const fields of [{}, { dry_run: 'true' }, { append_data: 'false' }]) {
      const { id } = (await send(FILE, { ...fields, background: 'true' }, 'chunks')).data<JobData>()
      await queue.run(id)
      const { result, errors } = (await api.get(`/jobs/${id}/`)).data<JobData>()
      expect(result?.error_groups).toEqual(GROUPS)
      expect(errors?.[0]).not.toHaveProperty('code')
      expect(errors?.[0]).not.toHaveProperty('value')
    }
  })

  test('have the cells of a workbook with their types', async () => {
    const rows = [['code', 'amount', 'pin'], ...[1.5, 2.5, 1.5, true].map((amount, at) => [`c${at}`, amount, null])]
    const { error_groups } = (await send(await workbook({ Goods: rows as never }))).data<Groups>()
    expect(error_groups).toEqual([group('amount', 'invalid_integer', '2-5', 4, [1.5, 2.5, true])])
  })

  test('do not depend on the language, but their messages do', async () => {
    const parts = form({ name: 'file', filename: 'goods', content: FILE }, { name: 'append_data', value: 'true' })
    const headers = { ...parts.headers, 'accept-language': 'de' }
    const answer = await api.post('/goods/import-from-file/', undefined, { ...parts, headers })
    expect(answer.data<Groups>().error_groups).toEqual(GROUPS)
    expect(answer.data<Groups>().error_groups?.[0]).toMatchObject({ message: expect.stringContaining('ganze Zahl') })
  })
})

describe('a list of problems', () => {
  const problem = (row: number, more: Partial<ImportRowProblem> = {}): ImportRowProblem => ({
    row,
    field: 'name',
    message: 'Wrong.',
    code: 'invalid',
    model: 'goods',
    ...more,
  })

  test('counts a row once in a group', () => {
    const list = ProblemList.EMPTY.with([problem(2), problem(2), problem(3)]).with([problem(4)])
    expect(list.groups).toMatchObject([{ count: 3, rows: '2-4' }])
    expect(list.listed).toHaveLength(4)
  })

  test('has at most 100 groups, 100 ranges and five different examples', () => {
    const fields = Array.from({ length: 101 }, (_, at) => problem(2, { field: `f${at}` }))
    const many = ProblemList.EMPTY.with(fields.slice(0, 100))
    expect([many.groups.length, many.isGroupsTruncated]).toEqual([100, false])
    const more = many.with(fields.slice(100))
    expect([more.groups.length, more.isGroupsTruncated]).toEqual([100, true])
    const rows = Array.from({ length: 300 }, (_, at) => problem(2 * at + 2, { value: at % 7 }))
    const [group] = ProblemList.EMPTY.with(rows).groups
    expect(group?.count).toBe(300)
    expect(group?.rows.split(', ')).toHaveLength(101)
    expect(group?.rows).toMatch(/^2, 4, 6, .*, 200, \.\.\.$/)
    expect(group?.examples).toEqual([0, 1, 2, 3, 4])
  })

  test('never changes, since a transaction may start again', () => {
    const before = ProblemList.EMPTY.with([problem(2)])
    before.with([problem(3)])
    expect(before.groups).toMatchObject([{ count: 1, rows: '2' }])
  })

  test('needs little memory for a million failed rows', () => {
    let list = ProblemList.EMPTY
    for (let from = 2; from < 2_000_000; from += 2_000) {
      list = list.with(Array.from({ length: 1_000 }, (_, at) => problem(from + 2 * at, { value: `x${from + at}` })))
    }
    expect(list.groups).toMatchObject([{ count: 1_000_000 }])
    expect(JSON.stringify(list.groups).length).toBeLessThan(1_000)
    expect(list.listed).toHaveLength(1_000)
  })
})
