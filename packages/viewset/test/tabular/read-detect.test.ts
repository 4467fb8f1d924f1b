import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { ImportFormat } from '../../src/tabular/read/file.ts'
import { openTabular } from '../../src/tabular/read/open.ts'
import { xlsxWriter } from '../../src/tabular/xlsx/write.ts'
import { readAll, readPath, withFile } from './read-support.ts'
import { bytesOf } from './support.ts'
import { workbook, zipped } from './workbook-xml.ts'
import { oleFile } from './xls-bytes.ts'

const ole = (stream: string) => oleFile(Buffer.alloc(100), { stream })

test.each([
  ['a PDF document', '%PDF-1.7\n'],
  ['a PNG picture', Buffer.from('89504e470d0a1a0a', 'hex')],
  ['a JPEG picture', Buffer.from('ffd8ffe000104a46', 'hex')],
  ['a gzip archive', gzipSync('a,b\n1,2\n')],
  ['an RTF document', '{\\rtf1\\ansi hello}'],
  ['an XML document', '<?xml version="1.0"?><Workbook/>'],
  ['JSON', '[{"a": 1}]'],
  ['JSON', '{ "a": 1 }'],
  ['a Word document', zipped({ '[Content_Types].xml': '', 'word/document.xml': '' })],
  ['a Word document', ole('WordDocument')],
  ['a presentation', zipped({ '[Content_Types].xml': '', 'ppt/presentation.xml': '' })],
  ['a ZIP archive', zipped({ 'a.csv': 'a\n1\n' })],
])('%s is refused by its name', async (name, content) => {
  await expect(readAll(content)).rejects.toMatchObject({
    code: 'wrong_format',
    message: `The file seems to be ${name}. Send CSV, XLS or XLSX.`,
  })
})

test.each([
  ['no known format', Buffer.alloc(9)],
  ['a picture that was sent as text', '\x89PNG\r\n\x1a\n\0\0\0\rIHDR'],
])('%s is refused with what to send', async (_, content) => {
  const message = 'The file is neither text nor a workbook. Send XLSX.'
  await expect(readAll(content, { formats: ['xlsx'] })).rejects.toMatchObject({ code: 'wrong_format', message })
})

test.each([
  ['date.ods', 'an OpenDocument spreadsheet (ODS)'],
  ['date.xlsb', 'a binary workbook (XLSB)'],
])('%s is refused with what to do', async (name, found) => {
  const path = `${import.meta.dirname}/../fixtures/workbooks/${name}`
  const advice = 'Open it in a spreadsheet program, save it as'
  for (const [formats, format] of [
    [['csv', 'xlsx'], 'XLSX (Save As, .xlsx)'],
    [['xls', 'csv'], 'CSV (Save As, .csv)'],
  ] satisfies [ImportFormat[], string][]) {
    const message = `The file seems to be ${found}. ${advice} ${format} and send the new file.`
    await expect(readPath(path, { formats })).rejects.toMatchObject({ code: 'wrong_format', message })
  }
})

test.each([
  ['a CSV file', 'a,b\n', ['xlsx'], 'XLSX (Save As, .xlsx)'],
  ['an XLSX file', workbook(''), ['csv', 'xls'], 'CSV (Save As, .csv)'],
  ['an XLS file', ole('Workbook'), ['csv'], 'CSV (Save As, .csv)'],
  ['a web page (HTML)', '\n<html><body><table><tr><td>1</td></tr></table>', ['csv', 'xlsx'], 'XLSX (Save As, .xlsx)'],
  ['a web page (HTML)', '\uFEFF<!DOCTYPE html>', ['csv', 'xlsx'], 'XLSX (Save As, .xlsx)'],
] satisfies [string, string | Buffer, ImportFormat[], string][])(
  '%s is refused where it is not accepted',
  async (name, content, formats, expected) => {
    const remedy = `Open it in a spreadsheet program, save it as ${expected} and send the new file.`
    const message = `The file seems to be ${name}. ${remedy}`
    await expect(readAll(content, { formats })).rejects.toMatchObject({ code: 'wrong_format', message })
  },
)

test('an encrypted workbook is told from a damaged one', async () => {
  await expect(readAll(ole('EncryptedPackage'))).rejects.toMatchObject({ code: 'encrypted' })
})

test('text that only begins like something else is CSV', async () => {
  for (const text of ['[id],[name]\n1,2\n', '{a},b\n', '<5,6\n', 'PKW,b\n', 'ID;PRICE\n']) {
    expect(await readAll(text)).toHaveLength(1)
  }
})

test('reading is given up when the signal aborts', async () => {
  const rows = Array.from({ length: 5000 }, (_, index) => [index])
  const bytes = await bytesOf(xlsxWriter().write([{ header: 'n', kind: 'integer' }], [rows]))
  const text = `n\n${rows.join('\n')}${' \n'.repeat(100_000)}`
  for (const [content, format] of [[bytes, 'xlsx'] as const, [text, 'csv'] as const]) {
    await withFile(content, async path => {
      const controller = new AbortController()
      const file = await openTabular(path, { formats: [format], signal: controller.signal })
      const reading = async () => {
        for await (const _ of file.sheets[0]!.rows()) controller.abort(new Error('The client has gone.'))
      }
      await expect(reading()).rejects.toThrow()
      await file.close()
      await expect(openTabular(path, { formats: [format], signal: controller.signal })).rejects.toThrow()
    })
  }
})
