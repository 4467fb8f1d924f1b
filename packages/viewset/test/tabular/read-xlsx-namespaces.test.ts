import { expect, test } from 'vitest'
import { openTabular } from '../../src/tabular/read/open.ts'
import { readAll, withFile } from './read-support.ts'
import { styles, workbook } from './workbook-xml.ts'

const TRANSITIONAL = {
  main: 'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
  office: 'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
}
const STRICT = {
  main: 'http://purl.oclc.org/ooxml/spreadsheetml/main',
  office: 'http://purl.oclc.org/ooxml/officeDocument/relationships',
}
const X15 = 'xmlns:x15="http://schemas.microsoft.com/office/spreadsheetml/2010/11/main"'
const MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
const EXT = 'xmlns:e="urn:example:extension"'

const sheetPath = 'xl/worksheets/sheet1.xml'
const header = '<row r="1"><c t="str"><v>h</v></c></row>'

function sheet(rows: string): Record<string, string> {
  return {
    [sheetPath]: `<worksheet xmlns="${TRANSITIONAL.main}" ${EXT} ${MC}><sheetData>${header}${rows}</sheetData></worksheet>`,
  }
}

async function rowsOf(parts: Record<string, string>) {
  const [first] = await readAll(workbook('', parts))
  return first!.rows
}

function workbookPart(content: string, prefix = '', { main, office } = TRANSITIONAL): string {
  const declaration = prefix === '' ? 'xmlns' : `xmlns:${prefix.slice(0, -1)}`
  return `<${prefix}workbook ${declaration}="${main}" xmlns:rel="${office}" ${X15} ${EXT}>${content}</${prefix}workbook>`
}

const sheets = '<sheets><sheet name="A" sheetId="1" rel:id="rId1"/></sheets>'

test.each([
  ['<workbookPr date1904="1"/>', '<extLst><ext uri="{x}"><x15:workbookPr chartTrackingRefBase="1"/></ext></extLst>'],
  ['<workbookPr date1904="true"/>', '<x15:workbookPr date1904="0"/>'],
])('an extension of %s does not change where days are counted from', async (own, extension) => {
  const parts = { 'xl/workbook.xml': workbookPart(own + sheets + extension), 'xl/styles.xml': styles(0, 14) }
  expect(await rowsOf({ ...parts, ...sheet('<row><c s="1"><v>44575</v></c></row>') })).toEqual([[2, '@2026-01-15']])
})

test('days are counted from 1900 whatever an extension says', async () => {
  const extension = '<extLst><ext uri="{x}"><workbookPr date1904="1"/><x15:workbookPr date1904="1"/></ext></extLst>'
  const parts = { 'xl/workbook.xml': workbookPart(sheets + extension), 'xl/styles.xml': styles(0, 14) }
  expect(await rowsOf({ ...parts, ...sheet('<row><c s="1"><v>46037</v></c></row>') })).toEqual([[2, '@2026-01-15']])
})

test.each([
  ['a row', '<e:row r="9"><c><v>9</v></c></e:row>'],
  ['a row within another element', '<e:rows><row r="9"><c><v>9</v></c></row></e:rows>'],
  ['a row of no namespace', '<row xmlns="" r="9"><c><v>9</v></c></row>'],
  ['alternate content', '<mc:AlternateContent><mc:Choice><row><c><v>9</v></c></row></mc:Choice></mc:AlternateContent>'],
])('%s of a foreign namespace is no row', async (_, foreign) => {
  expect(await rowsOf(sheet(`${foreign}<row r="2"><c><v>1</v></c></row>${foreign}`))).toEqual([[2, 1]])
})

test.each([
  ['a cell', '<e:c r="C2"><v>9</v></e:c>'],
  ['an empty cell', '<e:c r="C2"/>'],
  ['a cell whose prefix is a name of ours', '<c:c xmlns:c="urn:c" r="C2"><v>9</v></c:c>'],
  ['alternate content', '<mc:AlternateContent><mc:Fallback><c r="C2"><v>9</v></c></mc:Fallback></mc:AlternateContent>'],
  ['an extension', '<extLst><ext><c r="C2"><v>9</v></c></ext></extLst>'],
])('%s of a foreign namespace is no cell', async (_, foreign) => {
  const cells = `${foreign}<c r="A2"><v>1</v></c>${foreign}<c r="B2"><v>2</v></c>`
  expect(await rowsOf(sheet(`<row r="2">${cells}</row>`))).toEqual([[2, 1, 2]])
})

test('text of a foreign namespace is no text of a cell', async () => {
  const cells = [
    '<c><e:v>8</e:v><v>1</v><e:v>9</e:v></c>',
    '<c t="str"><v>a<e:x>x</e:x>b</v></c>',
    '<c t="inlineStr"><is><t>c</t><e:t>x</e:t><e:r><t>x</t></e:r></is><extLst><ext><v>x</v><t>x</t></ext></extLst></c>',
  ]
  expect(await rowsOf(sheet(`<row>${cells.join('')}</row>`))).toEqual([[2, 1, 'ab', 'c']])
})

test('a name within a foreign element is bound for that element only', async () => {
  const cells = '<c><f:v xmlns:f="urn:f" xmlns="urn:f"><v>8</v></f:v><v>1</v></c><p:c xmlns:p="urn:p"/><c><v>2</v></c>'
  expect(await rowsOf(sheet(`<row>${cells}</row>`))).toEqual([[2, 1, 2]])
})

test('a sheet of a foreign namespace is no sheet', async () => {
  const foreign = '<e:sheet name="B" rel:id="rId9"/><e:sheets><sheet name="B" rel:id="rId9"/></e:sheets>'
  const parts = { 'xl/workbook.xml': workbookPart(`${sheets}<extLst><ext>${foreign}</ext></extLst>${foreign}`) }
  expect(await readAll(workbook('<row><c><v>1</v></c></row>', parts))).toMatchObject([{ name: 'A', header: ['1'] }])
})

test('the id of a sheet is the one of the relationships', async () => {
  const content = '<sheets><sheet name="A" e:id="rId2" rel:id="rId1" sheetId="1"/></sheets>'
  const parts = { 'xl/workbook.xml': workbookPart(content) }
  expect(await readAll(workbook('<row><c><v>1</v></c></row>', parts))).toMatchObject([{ name: 'A', header: ['1'] }])
})

test.each([
  ['transitional', '', TRANSITIONAL],
  ['transitional, with a prefix', 'x:', TRANSITIONAL],
  ['strict', '', STRICT],
  ['strict, with a prefix', 'main.2:', STRICT],
])('a workbook may be %s', async (_, p, namespaces) => {
  const declaration = `${p === '' ? 'xmlns' : `xmlns:${p.slice(0, -1)}`}="${namespaces.main}" ${EXT}`
  const cell = (reference: string, text: number) => `<${p}c r="${reference}" t="s"><${p}v>${text}</${p}v></${p}c>`
  const rows = `<${p}row r="1">${cell('A1', 0)}</${p}row><${p}row r="2">${cell('A2', 2)}<e:c r="B2"/></${p}row>`
  const texts = ['h', 'unused', 'x'].map(text => `<${p}si><${p}t>${text}</${p}t><e:t>no</e:t></${p}si>`)
  const parts = {
    'xl/workbook.xml': workbookPart(`<${p}sheets><${p}sheet name="A" rel:id="rId1"/></${p}sheets>`, p, namespaces),
    'xl/sharedStrings.xml': `<${p}sst ${declaration}>${texts.join('<e:si/><e:si><e:t>no</e:t></e:si>')}</${p}sst>`,
    [sheetPath]: `<${p}worksheet ${declaration}><${p}sheetData>${rows}</${p}sheetData></${p}worksheet>`,
  }
  const expected = { name: 'A', header: ['h'], rows: [[2, 'x']] }
  expect(await readAll(workbook('', parts))).toEqual([expected])
  await withFile(workbook('', parts), async path => {
    const file = await openTabular(path, { firstRows: 5 })
    const { header, rows } = file.sheets[0]!
    for await (const batch of rows())
      expect({ header, cells: batch[0]?.cells }).toEqual({ header: ['h'], cells: ['x'] })
    await file.close()
  })
})

test('the number format of a foreign or a conditional style is that of no cell', async () => {
  const own = styles('0.00', 'yyyy-mm-dd').replace('<styleSheet>', `<styleSheet xmlns="${TRANSITIONAL.main}" ${EXT}>`)
  const dates = '<numFmt numFmtId="200" formatCode="yyyy"/>'
  const others = `<dxfs><dxf>${dates}</dxf></dxfs><e:numFmts>${dates}</e:numFmts><e:xf numFmtId="14"/>`
  const parts = { 'xl/styles.xml': own.replace('</styleSheet>', `${others}</styleSheet>`) }
  const cells = '<c s="0"><v>46037</v></c><c s="1"><v>46037</v></c>'
  expect(await rowsOf({ ...parts, ...sheet(`<row>${cells}</row>`) })).toEqual([[2, 46037, '@2026-01-15']])
})

test('many declarations within one another cost what they are long', async () => {
  const nested = Array.from({ length: 20_000 }, (_, i) => `<p${i}:a xmlns:p${i}="urn:${i}">`)
  const rest = Array.from({ length: 20_000 }, (_, i) => `</p${19_999 - i}:a>`)
  expect(await rowsOf(sheet(`<row><c><v>1</v></c>${nested.join('')}${rest.join('')}</row>`))).toEqual([[2, 1]])
})
