import { xmlText } from './cells.ts'

export const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const SPREADSHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const CORE_PROPERTIES = 'application/vnd.openxmlformats-package.core-properties+xml'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
export const OFFICE_RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

export const rootRelationsXml = relationsXml([
  `Type="${OFFICE_RELATIONS}/officeDocument" Target="xl/workbook.xml"`,
  `Type="${PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml"`,
])

export function propertiesXml(title: string, author: string, created: Date): string {
  const moment = `${created.toISOString().slice(0, 19)}Z`
  return (
    `${DECLARATION}<cp:coreProperties xmlns:cp="${PACKAGE}/metadata/core-properties" ` +
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" ' +
    `xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>${xmlText(title)}</dc:title>` +
    `<dc:creator>${xmlText(author)}</dc:creator>` +
    `<dcterms:created xsi:type="dcterms:W3CDTF">${moment}</dcterms:created></cp:coreProperties>`
  )
}

/** `xl/_rels/workbook.xml.rels`: rId1 ... rIdN are the sheets, as in `workbookXml`. */
export function workbookRelationsXml(sheetCount: number): string {
  const sheets = numbersTo(sheetCount).map(
    n => `Type="${OFFICE_RELATIONS}/worksheet" Target="worksheets/sheet${n}.xml"`,
  )
  return relationsXml([...sheets, `Type="${OFFICE_RELATIONS}/styles" Target="styles.xml"`])
}

/** A hidden sheet is in the list of sheets that people can show again, unless it is `veryHidden`. */
export interface NamedSheet {
  readonly name: string
  readonly state: 'visible' | 'hidden' | 'veryHidden'
}

export function workbookXml(sheets: readonly NamedSheet[]): string {
  const elements = sheets.map(({ name, state }, i) => {
    const hidden = state === 'visible' ? '' : ` state="${state}"`
    return `<sheet name="${xmlText(name)}" sheetId="${i + 1}"${hidden} r:id="rId${i + 1}"/>`
  })
  const titles = sheets.map(({ name, state }, i) => (state === 'visible' ? printTitles(name, i) : ''))
  // Programs open the workbook on this sheet, even if it is hidden.
  const active = Math.max(
    0,
    sheets.findIndex(({ state }) => state === 'visible'),
  )
  const view = active === 0 ? '<workbookView/>' : `<workbookView firstSheet="${active}" activeTab="${active}"/>`
  return (
    `${DECLARATION}<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ` +
    `xmlns:r="${OFFICE_RELATIONS}"><bookViews>${view}</bookViews><sheets>${elements.join('')}</sheets>` +
    `<definedNames>${titles.join('')}</definedNames></workbook>`
  )
}

/** Repeats the header on each printed page. */
function printTitles(name: string, index: number): string {
  const sheet = xmlText(`'${name.replaceAll("'", "''")}'`)
  return `<definedName name="_xlnm.Print_Titles" localSheetId="${index}">${sheet}!$1:$1</definedName>`
}

/** `withNotes` are the numbers of sheets with notes. */
export function contentTypesXml(sheetCount: number, withNotes: readonly number[]): string {
  const override = (part: string, type: string) =>
    `<Override PartName="/xl/${part}.xml" ContentType="${SPREADSHEET}.${type}+xml"/>`
  const sheets = numbersTo(sheetCount).map(n => override(`worksheets/sheet${n}`, 'worksheet'))
  const notes = withNotes.map(n => override(`comments${n}`, 'comments'))
  return (
    `${DECLARATION}<Types xmlns="${PACKAGE}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    '<Default Extension="vml" ContentType="application/vnd.openxmlformats-officedocument.vmlDrawing"/>' +
    `<Override PartName="/docProps/core.xml" ContentType="${CORE_PROPERTIES}"/>` +
    `${override('workbook', 'sheet.main')}${override('styles', 'styles')}${sheets.join('')}${notes.join('')}</Types>`
  )
}

export function relationsXml(relations: readonly string[]): string {
  const elements = relations.map((attributes, i) => `<Relationship Id="rId${i + 1}" ${attributes}/>`)
  return `${DECLARATION}<Relationships xmlns="${PACKAGE}/relationships">${elements.join('')}</Relationships>`
}

function numbersTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1)
}
