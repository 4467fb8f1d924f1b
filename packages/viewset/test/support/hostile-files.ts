import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { AllowAny, BaseModelSerializer, type ColumnKit, ImportableViewSet, importModel } from 'viewset'
import { expect, inject } from 'vitest'
import { workbookParts, zipped } from '../tabular/workbook-xml.ts'
import type { TestApi } from './api.ts'
import { importForm } from './multipart.ts'

const FIXTURES = join(import.meta.dirname, '../fixtures/workbooks')
const MEGABYTE = 1024 * 1024
/** What one file may cost, whatever is in it; `npm test` does not measure. */
const CPU_SECONDS = 3
/** What all of them together may leave behind: workers of V8 are not given back at once. */
const GROWTH = 400 * MEGABYTE

export function dayModels(c: ColumnKit) {
  return { days: c.table('days', { id: c.integer().primaryKey(), day: c.text().unique(), number: c.integer() }) }
}

/** A resource whose columns have the headers of some of the real files. */
export function dayResources({ days }: ReturnType<typeof dayModels>) {
  return {
    days: ImportableViewSet({
      model: days,
      serializer: BaseModelSerializer(days, { fields: ['id', 'day', 'number'] }),
      permissionClasses: [AllowAny],
      exportFieldConfig: { day: '2021-01-01', number: '15' },
      importFileConfig: {
        fileFormat: ['csv', 'xls', 'xlsx'],
        order: ['days'],
        models: { days: importModel({ model: days, fields: ['day', 'number'], uniqueFields: ['day'] }) },
      },
    }),
  }
}

const SHEET = `<row r="1"><c t="s"><v>0</v></c><c t="str"><v>15</v></c></row>${Array.from(
  { length: 20 },
  (_, i) => `<row r="${i + 2}"><c t="inlineStr"><is><t>day ${i}</t></is></c><c><v>${i}</v></c></row>`,
).join('')}`
const PARTS = workbookParts(SHEET, { 'xl/sharedStrings.xml': '<sst><si><t>2021-01-01</t></si></sst>' })
const CSV = `2021-01-01;15\r\n"a ""day""";1\r\nÄ;2\r\n`

/** Pieces that readers of XML, of CSV and of numbers may stumble over. */
const TOKENS = [
  '<',
  '>',
  '/>',
  '<![CDATA[',
  ']]>',
  '<!--',
  '<!DOCTYPE a [<!ENTITY b "c">]>',
  '&#x0;',
  '&#xFFFFFFFF;',
  '&b;',
  '"',
  "'",
  '\0',
  '\uFFFE',
  '1e999',
  '-1',
  '4294967296',
  '<row r="0">',
  '<row r="1048577">',
  '<c r="ZZZZ1">',
  '<c t="s"><v>9</v></c>',
  '<c t="e"><v>#N/A</v></c>',
  '<c t="d"><v>9999-99-99</v></c>',
  '</worksheet>',
  'x'.repeat(40_000),
]

/** What is done to bytes, one after the other. */
type Change = (bytes: Buffer) => Buffer

const at = fc.double({ min: 0, max: 1, noNaN: true })
const placed = (bytes: Buffer, at: number) => Math.trunc(at * bytes.length)
const changes: fc.Arbitrary<Change> = fc.oneof(
  fc.tuple(at, fc.nat(255)).map(
    ([at, value]): Change =>
      bytes => {
        const changed = Buffer.from(bytes)
        if (changed.length > 0) changed[Math.min(placed(bytes, at), bytes.length - 1)] = value
        return changed
      },
  ),
  fc.tuple(at, fc.uint8Array({ maxLength: 40 })).map(
    ([at, more]): Change =>
      bytes => {
        const place = placed(bytes, at)
        return Buffer.concat([bytes.subarray(0, place), more, bytes.subarray(place)])
      },
  ),
  fc.tuple(at, at).map(
    ([a, b]): Change =>
      bytes => {
        const [from, to] = [placed(bytes, Math.min(a, b)), placed(bytes, Math.max(a, b))]
        return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)])
      },
  ),
  fc.tuple(at, at, at).map(
    ([a, b, c]): Change =>
      bytes => {
        const [from, to, place] = [placed(bytes, Math.min(a, b)), placed(bytes, Math.max(a, b)), placed(bytes, c)]
        return Buffer.concat([bytes.subarray(0, place), bytes.subarray(from, to), bytes.subarray(place)])
      },
  ),
  fc.tuple(at, fc.constantFrom(...TOKENS)).map(
    ([at, token]): Change =>
      bytes => {
        const place = placed(bytes, at)
        return Buffer.concat([bytes.subarray(0, place), Buffer.from(token), bytes.subarray(place)])
      },
  ),
)
const mutations = fc.array(changes, { minLength: 1, maxLength: 6 }).map(
  (list): Change =>
    bytes =>
      list.reduce((changed, change) => change(changed), bytes),
)

const MAGIC = [
  [],
  [0x50, 0x4b, 3, 4],
  [0x50, 0x4b, 5, 6],
  [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1],
  [0xff, 0xfe],
  [0xef, 0xbb, 0xbf],
]

/** Random bytes, real files that were changed, and workbooks whose parts were changed before they were packed. */
async function hostileFiles(): Promise<fc.Arbitrary<Buffer>> {
  const names = (await readdir(FIXTURES)).filter(name => !name.endsWith('.md'))
  const real = await Promise.all(names.map(name => readFile(join(FIXTURES, name))))
  const originals = [...real, zipped(PARTS), Buffer.from(CSV), Buffer.from(CSV, 'utf16le')]
  const part = fc.constantFrom(...Object.keys(PARTS))
  return fc.oneof(
    { weight: 1, arbitrary: fc.constantFrom(...originals) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(...MAGIC), fc.uint8Array({ maxLength: 5_000, size: 'max' }))
        .map(([start, rest]) => Buffer.from([...start, ...rest])),
    },
    {
      weight: 4,
      arbitrary: fc.tuple(fc.constantFrom(...originals), mutations).map(([original, change]) => change(original)),
    },
    {
      weight: 4,
      arbitrary: fc.array(fc.tuple(part, mutations), { minLength: 1, maxLength: 3 }).map(list => {
        const parts = { ...PARTS }
        for (const [name, change] of list) parts[name] = change(Buffer.from(parts[name] ?? '')).toString()
        return zipped(parts)
      }),
    },
  )
}

/**
 * Uploads files that may be anything: each is imported, or refused as the client's fault; it costs little, leaves no
 * file behind, and others are answered as before. A failure prints its seed.
 */
export async function checkHostileFiles(api: TestApi, numRuns: number): Promise<void> {
  const before = process.env.TMPDIR
  const folder = await mkdtemp(join(tmpdir(), 'viewset-hostile-'))
  process.env.TMPDIR = folder
  const statuses = new Set<number>()
  const start = process.memoryUsage.rss()
  const property = fc.asyncProperty(await hostileFiles(), fc.boolean(), async (content, append) => {
    const cpu = process.cpuUsage()
    const request = importForm(content, { append, filename: 'upload' })
    const response = await api.request('POST', '/days/import-from-file/', request)
    const { user, system } = process.cpuUsage(cpu)
    statuses.add(response.status)
    expect([201, 207, 400, 413], response.text).toContain(response.status)
    const { success, message, data, errors } = response.envelope()
    expect(success).toBe(response.status === 201)
    if (response.status >= 400) expect(data).toBeNull()
    if (response.status === 400) expect(errors).toEqual({ file: expect.arrayContaining([expect.any(String)]) })
    if (response.status >= 207) expect(message).not.toBe('')
    if (inject('thorough')) expect((user + system) / 1e6).toBeLessThan(CPU_SECONDS)
    expect(await readdir(folder)).toEqual([])
  })
  try {
    await fc.assert(property, { numRuns })
    if (inject('thorough')) expect(process.memoryUsage.rss() - start).toBeLessThan(GROWTH)
    expect((await api.get('/days/')).status).toBe(200)
    // All kinds of answers were met, so the files were neither all right nor all wrong.
    expect([...statuses]).toEqual(expect.arrayContaining([201, 400]))
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    await rm(folder, { recursive: true })
  }
}
