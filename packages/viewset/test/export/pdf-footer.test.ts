import { AllowAny, BaseModelSerializer, BaseViewSet, type ColumnKit } from 'viewset'
import { expect, test } from 'vitest'
import type { JobData } from '../../src/viewset/jobs/job-data.ts'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { pdfText } from '../support/pdf-text.ts'

const models = (c: ColumnKit) => ({
  towns: c.table('towns', { ...c.BaseModelMixin(), name: c.text(30).notNull(), size: c.integer() }),
  ...c.JobTables(),
})

describeDialects('the footer of an exported PDF', dialect => {
  const tables = models(dialect.kit)
  const { towns, jobs, jobErrors } = tables
  const queue = new ManualQueue()
  const api = useApi(dialect, {
    tables,
    users: { ann: { id: 'ann' } },
    resources: {
      towns: BaseViewSet({
        model: towns,
        serializer: BaseModelSerializer(towns, { fields: ['id', 'name', 'size'] }),
        permissionClasses: [AllowAny],
        filterFields: { name: ['exact', 'in'], size: ['gte'] },
        searchFields: ['name'],
        orderingFields: ['name'],
      }),
    },
    jobs: { tables: { jobs, jobErrors }, queue, files: new MemoryJobFiles() },
  })
  const query = '?search=o&size__gte=5&ordering=name&name__in=Oslo,Rome&page=1'
  const body = { file_type: 'pdf', includes: ['name'] }
  const store = async () => {
    for (const town of [
      { name: 'Oslo', size: 9 },
      { name: 'Rome', size: 7 },
      { name: 'Bonn', size: 3 },
    ])
      await api.post('/towns/', town)
  }

  test('has the filters of the request and the number of rows', async () => {
    await store()
    const text = await pdfText((await api.post(`/towns/export/${query}`, body)).bytes)
    expect(text).toContain('Filters: Name in: Oslo,Rome; Size gte: 5; Search: o')
    expect(text).toContain('Rows: 2 · Page 1 of 1')
    expect(await pdfText((await api.post('/towns/export/', body)).bytes)).not.toContain('Filters')
  })

  test('has no filters for rows of the client', async () => {
    const data = [{ name: 'Mine' }]
    const text = await pdfText((await api.post(`/towns/export/${query}`, { ...body, data })).bytes)
    expect(text).toContain('Rows: 1 · Page 1 of 1')
    expect(text).not.toContain('Filters')
  })

  test('is the same in the background, and in the language of the client', async () => {
    await store()
    const options = { as: 'ann', headers: { 'accept-language': 'de' } }
    const { id } = (await api.post(`/towns/export/${query}&background=true`, body, options)).data<JobData>()
    await queue.run(id)
    const text = await pdfText((await api.get(`/jobs/${id}/file/`, { as: 'ann' })).bytes)
    expect(text).toContain('Filter: Name in: Oslo,Rome; Size gte: 5; Search: o')
    expect(text).toContain('Zeilen: 2 · Seite 1 von 1')
  })
})
