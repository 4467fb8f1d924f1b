import { openAsBlob } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AllowAny, ImportableViewSet, importModel } from 'viewset'
import type { UploadProgress } from 'viewset/client'
import { expect, test } from 'vitest'
import { useClient } from '../support/client.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

describeOneDialect('a client of files', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  class AuthorViewSet extends ImportableViewSet({
    model: authors,
    serializer: serializers(tables).AuthorSerializer,
    permissionClasses: [AllowAny],
    filterFields: ['name'],
    importFileConfig: {
      fileFormat: ['csv', 'xlsx'],
      order: ['authors'],
      models: { authors: importModel({ model: authors, fields: ['name', 'email'], uniqueFields: ['email'] }) },
    },
  }) {}
  const { importMappings } = dialect.kit.ImportMappingTable()
  const listening = useClient(dialect, {
    tables: { ...tables, importMappings },
    resources: { authors: AuthorViewSet },
    importMappings: { table: importMappings, adminPermissionClasses: [AllowAny] },
  })
  const fileOf = (rows: number, name = (n: number) => `Author ${n}`) =>
    ['name,email', ...Array.from({ length: rows }, (_, n) => `${name(n)},a${n}@example.org`), ''].join('\n')
  const append = { append_data: true } as const

  test('gets an export with its name and what it could not show', async () => {
    await seed(listening.api.database, tables, { authors: [{ name: 'Ada' }, { name: 'Bob' }, { name: '東京' }] })
    const client = listening.client().authors
    const options = { includes: ['name'], column_config: { name: { header: 'Who' } }, filename: 'wer "ü"' } as const
    const csv = await client.export({ file_type: 'csv', ...options }, { name: 'Ada' })
    expect([csv.filename, csv.type, csv.warnings]).toEqual(['wer _ü_.csv', 'text/csv; charset=utf-8', ''])
    const chunks: Uint8Array[] = []
    for await (const chunk of csv.stream as unknown as AsyncIterable<Uint8Array>) chunks.push(chunk)
    expect(Buffer.concat(chunks).toString()).toBe('Who\r\nAda\r\n')
    const pdf = await client.export({ file_type: 'pdf', ...options })
    expect([pdf.type, pdf.warnings]).toEqual(['application/pdf', 'No font has these 2 characters: U+6771 U+4EAC'])
    expect(
      Buffer.from(await pdf.arrayBuffer())
        .subarray(0, 5)
        .toString(),
    ).toBe('%PDF-')
  })

  test('makes a file of rows of its own', async () => {
    const file = await listening
      .client()
      .authors.export({ file_type: 'csv', includes: ['name'], data: [{ name: 'Mine' }] })
    expect(await file.text()).toBe('Name\r\nMine\r\n')
  })

  test('saves a mapping, gets it in a preview, sends it, lists it and deletes it', async () => {
    const client = listening.client().authors
    const mapping = { Who: 'name', Mail: 'email' } as const
    const saved = await client.saveImportMapping({ headers: ['Who', 'Mail'], mapping, everyone: true })
    const file = new Blob(['Mail,Who\na@example.org,Ada\n'])
    const { saved_mappings: [suggested] = [] } = await client.importPreview(file)
    expect(suggested).toEqual(saved)
    const { id, name: _, everyone, saved_at, ...choice } = saved
    expect([everyone, saved_at, choice]).toEqual([true, expect.any(String), { mapping }])
    expect(await client.importFile(file, { ...append, ...choice })).toMatchObject({ created: 1 })
    expect(await client.importMappings({ page_size: 5 })).toMatchObject({ items: [saved], count: 1 })
    await client.deleteImportMapping(id)
    expect(await client.importMappings()).toMatchObject({ items: [], count: 0 })
  })

  test('imports what it was given as a template', async () => {
    const client = listening.client().authors
    const file = await client.importTemplate({ file_type: 'xlsx' })
    const { success, processed } = await client.importFile(await file.blob(), { append_data: true, dry_run: true })
    expect([success, processed > 0]).toEqual([true, true])
    expect(await client.list()).toMatchObject({ count: 0 })
  })

  test('gets the rows that failed as a file, sends it again, and tells what a header means', async () => {
    const client = listening.client().authors
    const options = { ...append, failed_rows: true, mapping: { 'Full name': 'name' } } as const
    const file = await client.importFile(
      {
        name: 'people.csv',
        content: new Blob([`Full name,email\nAda,a@example.org\n${'x'.repeat(21)},b@example.org\n`]),
      },
      options,
    )
    if (!('blob' in file)) throw new Error('No row has failed.')
    expect(file.filename).toBe('people_failed.csv')
    const text = await file.text()
    expect(text).toMatch(/^Errors,Full name,email\r\nFull name: .*,x+,b@example.org/)
    const again = await client.importFile(new Blob([text.replace(/,x+,/, ',Bob,')]), options)
    expect(again).toMatchObject({ success: true, created: 1, ignored_columns: [] })
  })

  test('gets the rows that failed as a result, and a file that is none as an error', async () => {
    const client = listening.client().authors
    const result = await client.importFile(
      new Blob([`name,email\nAda,a@example.org\n${'x'.repeat(21)},b@example.org\n`]),
      append,
    )
    expect(result).toMatchObject({ success: false, processed: 2, created: 1, failed: 1 })
    expect(result.errors).toEqual([
      {
        row: 3,
        field: 'name',
        column: 'name',
        message: 'Ensure this field has no more than 20 characters.',
        model: 'authors',
      },
    ])
    const refused = client.importFile(new Blob(['name\nAda\n']), append)
    const missing = expect.stringContaining('The column "email" is missing.')
    await expect(refused).rejects.toMatchObject({
      name: 'ClientError',
      status: 400,
      errors: { file: [missing, 'The header (the first row) has the column "name".'] },
    })
  })

  test('gets a result with as many errors as there are', async () => {
    const file = new File([fileOf(1_500, () => 'x'.repeat(21))], 'people.csv')
    const result = await listening.client().authors.importFile(file, append)
    expect(result).toMatchObject({ success: false, processed: 1_500, failed: 1_500, errors_truncated: true })
    expect(result.errors.length).toBe(1_000)
  })

  test('tells how much of a file is sent, from a disk, from memory or from a stream', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'viewset-client-'))
    try {
      const client = listening.client().authors
      const text = fileOf(5_000)
      await writeFile(join(folder, 'people.csv'), text)
      const blob = await openAsBlob(join(folder, 'people.csv'))
      const contents = [
        [blob, text.length],
        [{ name: 'a "quoted"\r\nname.csv', content: new TextEncoder().encode(text) }, text.length],
        [{ name: 'people.csv', content: blob.stream() }, undefined],
      ] as const
      for (const [file, total] of contents) {
        const told: UploadProgress[] = []
        const result = await client.importFile(file, { ...append, onProgress: progress => told.push(progress) })
        expect([result.success, result.processed]).toEqual([true, 5_000])
        expect(told.at(-1)).toEqual({ loaded: text.length, total })
        expect(told.map(({ loaded }) => loaded)).toEqual(told.map(({ loaded }) => loaded).toSorted((a, b) => a - b))
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test('stops sending when it is aborted', async () => {
    const controller = new AbortController()
    let pulled = 0
    const content = new ReadableStream<Uint8Array>({
      pull: stream => {
        pulled += 1
        if (pulled === 3) controller.abort('enough')
        stream.enqueue(new TextEncoder().encode('Ada,a@example.org\n'))
      },
    })
    const importing = listening
      .client()
      .authors.importFile({ name: 'endless.csv', content }, { ...append, signal: controller.signal })
    await expect(importing).rejects.toMatchObject({ name: 'ClientError', status: 0, cause: 'enough' })
  })
})
