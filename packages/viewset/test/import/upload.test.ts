import { execFile } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compose, FileImportMixin, type ImportRequest, type ImportResult, IsAuthenticated, importModel } from 'viewset'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type RequestOptions, useApi } from '../support/api.ts'
import { sqliteDialect } from '../support/dialects.ts'
import {
  expectBadParameter,
  expectError,
  expectInvalid,
  expectNotAllowed,
  expectSuccess,
  nonField,
} from '../support/expect.ts'
import { models, users } from '../support/models.ts'
import { form, importForm } from '../support/multipart.ts'
import { RawConnection } from '../support/raw-http.ts'
import { serializers } from '../support/serializers.ts'

// How a file gets here has nothing to do with a database.

const tables = models(sqliteDialect.kit)
const RESULT: ImportResult = {
  success: true,
  processed: 1,
  failed: 0,
  errors: [],
  created: 1,
  updated: 0,
  ignoredColumns: [],
}
const DATA = { success: true, processed: 1, failed: 0, errors: [], created: 1, updated: 0, ignored_columns: [] }

/** What arrived: the file's content and what was asked. */
let arrived: { readonly content: string; readonly request: ImportRequest }[] = []

class AuthorViewSet extends compose(FileImportMixin)({
  model: tables.authors,
  serializer: serializers(tables).AuthorSerializer,
  permissionClasses: [IsAuthenticated],
  importFileConfig: {
    fileFormat: 'csv',
    order: ['authors'],
    models: { authors: importModel({ model: tables.authors, fields: ['name'], uniqueFields: ['name'] }) },
  },
}) {
  override async performImport(path: string, request: ImportRequest) {
    arrived.push({ content: await readFile(path, 'latin1'), request })
    if (arrived[0]?.content === 'crash') throw new Error('the import crashed')
    return RESULT
  }
}

const folder = mkdtempSync(join(tmpdir(), 'viewset-test-'))
const { TMPDIR } = process.env
const uploads = () => readdirSync(folder).filter(name => name.startsWith('viewset-upload-'))

beforeAll(() => {
  process.env.TMPDIR = folder
})
beforeEach(() => {
  arrived = []
})
afterAll(() => {
  if (TMPDIR === undefined) delete process.env.TMPDIR
  else process.env.TMPDIR = TMPDIR
  rmSync(folder, { recursive: true })
})

const api = useApi(sqliteDialect, {
  tables,
  users,
  resources: { authors: AuthorViewSet },
  authenticate: ({ headers }) => (headers.authorization === undefined ? null : { id: 'somebody' }),
  settings: { COMMON: { IMPORT_MAX_FILE_SIZE: 2048 } },
})
const send = (options: Parameters<typeof api.request>[2]) =>
  api.request('POST', '/authors/import-from-file/', { as: 'ann', ...options })

const NOTHING_TOLD = {
  append: true,
  dryRun: false,
  diff: false,
  allOrNothing: false,
  failOnWarnings: false,
  failedRows: false,
  deleteMarked: false,
  background: false,
}
const FILE = { name: 'file', filename: 'rows.csv', content: 'name\nAda\n' }
const APPEND = { name: 'append_data', value: 'true' }

describe('an upload', () => {
  test('is on disk while it is imported, and not afterwards', async () => {
    expectSuccess(await send(form(FILE, APPEND)), 201, { data: DATA })
    expect(arrived).toEqual([
      { content: FILE.content, request: { ...NOTHING_TOLD, file: { filename: 'rows.csv', size: 9 } } },
    ])
    expect(uploads()).toEqual([])
  })

  test('is binary, byte by byte', async () => {
    const bytes = Uint8Array.from({ length: 2048 }, (_, index) => index % 256)
    expectSuccess(await send(importForm(bytes)), 201, { data: DATA })
    expect(arrived[0]?.content).toBe(Buffer.from(bytes).toString('latin1'))
  })

  test.each([
    ['true', true],
    ['1', true],
    ['YES', true],
    ['on', true],
    ['y', true],
    ['False', false],
    ['0', false],
    ['no', false],
    ['off', false],
    ['N', false],
  ])('appends or replaces as append_data says: %s', async (value, append) => {
    await send(form(FILE, { name: 'append_data', value }))
    expect(arrived[0]?.request).toMatchObject({ append, dryRun: false })
  })

  test('is a dry run where dry_run says so', async () => {
    await send(form(FILE, APPEND, { name: 'dry_run', value: 'true' }))
    expect(arrived[0]?.request).toMatchObject({ append: true, dryRun: true })
  })

  test('is removed when its import fails', async () => {
    const response = await send(importForm('crash'))
    expect(response.status).toBe(500)
    expect(uploads()).toEqual([])
  })

  test('is for those who may import; others are refused before it is read', async () => {
    const response = await api.request('POST', '/authors/import-from-file/', form(FILE, APPEND))
    expectError(response, 401, 'Authentication credentials were not provided.')
    expect(uploads()).toEqual([])
  })
})

describe('what is told beside the file', () => {
  const MAPPING = { 'Full name': 'name', Notes: null, __proto__x: 'name' }
  const told = async (query: Readonly<Record<string, string>>, parts: Readonly<Record<string, string>> = {}) =>
    api.request('POST', `/authors/import-from-file/?${new URLSearchParams(query)}`, {
      ...form(FILE, APPEND, ...Object.entries(parts).map(([name, value]) => ({ name, value }))),
      as: 'ann',
    })
  const ALL = {
    dry_run: 'true',
    diff: 'yes',
    all_or_nothing: 'yes',
    fail_on_warnings: 'on',
    failed_rows: '1',
    delete_marked: 'true',
    background: 'off',
    mapping: JSON.stringify(MAPPING),
  }
  const READ = {
    append: true,
    dryRun: true,
    diff: true,
    allOrNothing: true,
    failOnWarnings: true,
    failedRows: true,
    deleteMarked: true,
    background: false,
    mapping: MAPPING,
  }

  test.each([
    ['in the address', ALL, {}],
    ['in the form', {}, ALL],
    ['in both, with one meaning', { ...ALL, dry_run: 'T' }, { ...ALL, mapping: JSON.stringify(MAPPING, null, 2) }],
  ])('is read %s', async (_, query, parts) => {
    expectSuccess(await told(query, parts), 201, { data: DATA })
    expect(arrived[0]?.request).toEqual({ ...READ, file: { filename: 'rows.csv', size: 9 } })
  })

  test.each(['dry_run', 'all_or_nothing', 'fail_on_warnings', 'failed_rows', 'delete_marked', 'background'])(
    'is refused where it is said twice otherwise: %s',
    async name => {
      const errors = { [name]: ['The form and the address contradict each other; give this value once.'] }
      expectInvalid(await told({ [name]: 'true' }, { [name]: 'false' }), errors)
      expectInvalid(await told({ [name]: 'maybe' }), { [name]: ['Enter true or false.'] })
      expectInvalid(await told({}, { [name]: '' }), { [name]: ['Enter true or false.'] })
      expect(arrived).toEqual([])
    },
  )

  test('is refused where the address says it twice', async () => {
    const url = '/authors/import-from-file/?dry_run=true&dry_run=true'
    const response = await api.request('POST', url, { ...form(FILE, APPEND), as: 'ann' })
    expectBadParameter(response, 'dry_run', 'Give this parameter once.')
  })

  test('has no mapping where its part is empty', async () => {
    for (const mapping of ['', ' ']) expectSuccess(await told({}, { mapping }), 201, { data: DATA })
    expect(arrived.map(({ request }) => Object.hasOwn(request, 'mapping'))).toEqual([false, false])
  })

  test.each(['name', '[]', 'null', '{', '{"a":1}', '{"a":{"b":1}}', '{"a":{"b":{}}}', '["a"]'])(
    'has no mapping that is none: %s',
    async mapping => {
      const text =
        'Send a JSON object with the field for each header, or null to leave it out: {"Airport code": "iata"}.'
      expectInvalid(await told({}, { mapping }), { mapping: [text] })
    },
  )

  test('may be the mapping of a wide file', async () => {
    const mapping = Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [`Ein Spaltentitel, der nicht gerade kurz ist: ${index}`, null]),
    )
    expectSuccess(await told({}, { mapping: JSON.stringify(mapping) }), 201, { data: DATA })
    expect(arrived[0]?.request.mapping).toEqual(mapping)
  })

  test('asks a dry run only for differences', async () => {
    const errors = { diff: ['This option needs a dry run: send dry_run=true as well.'] }
    expectInvalid(await told({ diff: 'true' }), errors)
  })

  test('decides in the form only whether stored records are replaced', async () => {
    const url = '/authors/import-from-file/?append_data=false'
    const response = await api.request('POST', url, { ...form(FILE), as: 'ann' })
    expectBadParameter(
      response,
      'append_data',
      'Unknown parameter "append_data". Send it in the body, not in the address.',
    )
    expect((await told({ append_data: 'false' })).status).toBe(400)
  })
})

describe('a form with', () => {
  test('two files', async () => {
    expectInvalid(await send(form(FILE, FILE, APPEND)), { file: ['Send one file at a time.'] })
  })

  test('fields in any order; files and fields that nothing reads are named', async () => {
    expectSuccess(await send(form(APPEND, FILE)), 201, { data: DATA })
    expect(arrived[0]?.content).toBe(FILE.content)
    const other = { name: 'other', filename: 'other.csv', content: 'x'.repeat(100) }
    const response = await send(form(APPEND, other, { name: 'note', value: 'x' }, FILE))
    expect(response.status).toBe(400)
    expect(Object.keys(JSON.parse(response.text).errors).toSorted()).toEqual(['note', 'other'])
  })

  test.each(['../../../etc/passwd', '..\\..\\boot.ini', '/etc/passwd', 'C:\\x\\y.csv', '.', '..', ''])(
    'the name %j never becomes a path',
    async filename => {
      expectSuccess(await send(importForm('a', { filename })), 201, { data: DATA })
      expect(arrived[0]?.request.file.filename).not.toMatch(/[\\/]/)
      expect(uploads()).toEqual([])
    },
  )

  test('no file', async () => {
    expectInvalid(await send(form(APPEND)), { file: ['No file was submitted. Send it as the part "file".'] })
  })

  test('a field that should be a file', async () => {
    expectInvalid(await send(form({ name: 'file', value: 'name\nAda' }, APPEND)), {
      file: ['The submitted data was not a file: its part has no file name.'],
    })
  })

  test('an empty file, and no word on what shall happen to what is stored', async () => {
    expectInvalid(await send(form({ ...FILE, content: '' }, { name: 'dry_run', value: 'maybe' })), {
      file: ['The submitted file is empty. Choose another one.'],
      append_data: ['This field is required: "true" adds to the stored records, "false" replaces them.'],
      dry_run: ['Enter true or false.'],
    })
  })

  test('a field twice', async () => {
    expectInvalid(await send(form(FILE, APPEND, { name: 'append_data', value: 'false' })), {
      append_data: ['Give this field once.'],
    })
  })

  test('1,000 fields', async () => {
    const fields = Array.from({ length: 1000 }, (_, index) => ({ name: `f${index}`, value: 'x' }))
    const message = 'Send one file and 20 fields at most.'
    expectError(await send(form(FILE, ...fields, APPEND)), 400, message, nonField(message))
    expectError(await send(form(...fields, FILE, APPEND)), 400, message, nonField(message))
  })

  test('a field that is too long', async () => {
    expectInvalid(await send(form(FILE, APPEND, { name: 'note', value: 'x'.repeat(256 * 1024 + 1) })), {
      note: ['This field is too long.'],
    })
  })

  test('names of fields that objects have', async () => {
    const fields = ['__proto__', 'constructor', 'prototype'].map(name => ({ name, value: 'x' }))
    const response = await send(form(FILE, APPEND, ...fields))
    expect(response.status).toBe(400)
    expect(Object.keys(JSON.parse(response.text).errors)).toEqual(expect.arrayContaining(['constructor', 'prototype']))
    expectInvalid(await send(form(FILE, APPEND, { name: '__proto__', value: 'x'.repeat(256 * 1024 + 1) })), {
      ['__proto__']: ['This field is too long.'],
    })
  })

  test.each([
    ['a file that is too large', form({ ...FILE, content: 'x'.repeat(2049) }, APPEND)],
    ['a body of a length that no file may have', { ...form({ ...FILE, content: 'x'.repeat(1e6) }, APPEND) }],
  ])('%s', async (_, options) => {
    expectError(await send(options), 413, 'The file is larger than 2048 bytes.')
    expect(arrived).toEqual([])
    expect(uploads()).toEqual([])
  })

  test('a body that says that it is too large is refused before it is sent', async () => {
    const connection = new RawConnection(await api.listen())
    const head = ['POST /api/authors/import-from-file/ HTTP/1.1', 'Host: test', 'Authorization: Bearer ann']
    connection.send(
      `${head.join('\r\n')}\r\nContent-Type: ${whole.headers?.['content-type']}\r\nContent-Length: 9999999\r\n\r\n`,
    )
    await expect.poll(() => connection.responses.map(({ status }) => status)).toEqual([413])
    connection.socket.destroy()
    await connection.closed
    expect(uploads()).toEqual([])
  })

  const type = (value: string) => ({ headers: { 'content-type': value } })
  const whole = form(FILE, APPEND)

  test.each([
    ['application/json', { ...type('application/json'), payload: '{}' }],
    [
      'application/x-www-form-urlencoded',
      { ...type('application/x-www-form-urlencoded'), payload: 'append_data=true' },
    ],
    ['multipart/mixed', { ...whole, ...type('multipart/mixed; boundary=x') }],
    ['no media type', { payload: 'x' }],
    ['no body', {}],
    ['no media type that there is', { ...whole, ...type('multipart/form-dataX') }],
  ])('%s is the wrong media type', async (_, options) => {
    expectError(await send(options), 415, 'Send the file as multipart/form-data.')
  })

  type Case = readonly [name: string, options: RequestOptions, message: string]
  const CUT = 'The upload was cut off.'
  test.each<Case>([
    ['no boundary', { ...whole, ...type('multipart/form-data') }, 'The Content-Type header names no boundary.'],
    ['another boundary', { ...whole, ...type('multipart/form-data; boundary=other') }, CUT],
    ['an empty body', { ...whole, payload: '' }, CUT],
    ['no form', { ...whole, payload: 'x'.repeat(1000) }, CUT],
    ...[10, 60, 200, 240].map(
      (length): Case => [`a body cut at byte ${length}`, { ...whole, payload: whole.payload.subarray(0, length) }, CUT],
    ),
  ])('%s', async (_, options, message) => {
    expectError(await send(options), 400, message, nonField(message))
    expect(arrived).toEqual([])
    expect(uploads()).toEqual([])
  })

  test('a client that goes away in the middle', async () => {
    const socket = connect(await api.listen(), '127.0.0.1')
    const head = ['POST /api/authors/import-from-file/ HTTP/1.1', 'Host: test', 'Authorization: Bearer ann']
    const { payload } = whole
    socket.write(
      `${head.join('\r\n')}\r\nContent-Type: ${whole.headers?.['content-type']}\r\nContent-Length: 2000\r\n\r\n`,
    )
    socket.write(payload.subarray(0, 180))
    await expect.poll(uploads).toHaveLength(1)
    socket.destroy()
    await expect.poll(uploads).toEqual([])
    expect(arrived).toEqual([])
  })
})

test('a process that ends in the middle of an import takes its file along', async () => {
  const module = join(import.meta.dirname, '../../src/tabular/temporary-folder.ts')
  const script = `
    const { removeFolder, temporaryFolder } = await import(${JSON.stringify(module)})
    await removeFolder(await temporaryFolder('upload'))
    await temporaryFolder('upload')
    process.on('SIGTERM', () => process.exit(3))
    setInterval(() => {}, 1000)
    process.kill(process.pid, 'SIGTERM')
  `
  const exit = await new Promise(resolve => {
    execFile(process.execPath, ['--input-type=module', '-e', script], error => resolve(error?.code))
  })
  expect(exit).toBe(3)
  expect(uploads()).toEqual([])
})

test('other endpoints take no form', async () => {
  const response = await api.request('PUT', '/authors/import-from-file/', { ...form(FILE, APPEND), as: 'ann' })
  expectNotAllowed(response, 'PUT')
})
