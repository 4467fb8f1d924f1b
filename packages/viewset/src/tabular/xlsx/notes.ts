import type { TabularColumn } from '../table.ts'
import { columnLetters, displayWidth, xmlText } from './cells.ts'
import { DECLARATION, OFFICE_RELATIONS, relationsXml } from './parts.ts'

/** Characters of a line, and its width and height in points. */
const LINE = 36
const WIDTH = 200
const LINE_HEIGHT = 14

/** A note on a cell. */
export interface CellNote {
  /** The row number, where the header is 1. */
  readonly row: number
  /** Index of its column. */
  readonly column: number
  readonly text: string
}

export const NOTES_RELATION = 'rId1'

export function headerNotes(columns: readonly TabularColumn[]): readonly CellNote[] {
  return columns.flatMap(({ note: text }, column) => (text === undefined ? [] : [{ row: 1, column, text }]))
}

/**
 * The parts for notes on sheet `n`, by path: the notes, their shapes and the sheet's relations to both. Without the
 * shapes, Excel does not show the notes.
 */
export function noteParts(n: number, notes: readonly CellNote[]): readonly (readonly [string, string])[] {
  return [
    [`xl/comments${n}.xml`, commentsXml(notes)],
    [`xl/drawings/vmlDrawing${n}.vml`, shapesXml(notes)],
    [
      `xl/worksheets/_rels/sheet${n}.xml.rels`,
      relationsXml([
        `Type="${OFFICE_RELATIONS}/vmlDrawing" Target="../drawings/vmlDrawing${n}.vml"`,
        `Type="${OFFICE_RELATIONS}/comments" Target="../comments${n}.xml"`,
      ]),
    ],
  ]
}

function commentsXml(notes: readonly CellNote[]): string {
  const comments = notes.map(
    ({ row, column, text }) =>
      `<comment ref="${columnLetters(column)}${row}" authorId="0"><text>` +
      `<t xml:space="preserve">${xmlText(text)}</t></text></comment>`,
  )
  return (
    `${DECLARATION}<comments xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
    `<authors><author/></authors><commentList>${comments.join('')}</commentList></comments>`
  )
}

function shapesXml(notes: readonly CellNote[]): string {
  const shapes = notes.map(({ row, column, text }, index) => {
    const lines = text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / LINE)), 1)
    return (
      `<v:shape id="_x0000_s${1025 + index}" type="#_x0000_t202" fillcolor="#ffffe1" o:insetmode="auto" ` +
      `style="position:absolute;width:${WIDTH}pt;height:${lines * LINE_HEIGHT}pt;visibility:hidden">` +
      '<v:fill color2="#ffffe1"/><v:shadow on="t" color="black" obscured="t"/><v:path o:connecttype="none"/>' +
      '<v:textbox style="mso-direction-alt:auto"/><x:ClientData ObjectType="Note"><x:MoveWithCells/>' +
      `<x:AutoFill>False</x:AutoFill><x:Row>${row - 1}</x:Row><x:Column>${column}</x:Column></x:ClientData></v:shape>`
    )
  })
  return (
    '<xml xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office" ' +
    'xmlns:x="urn:schemas-microsoft-com:office:excel"><v:shapetype id="_x0000_t202" coordsize="21600,21600" ' +
    'o:spt="202" path="m,l,21600r21600,l21600,xe"><v:stroke joinstyle="miter"/>' +
    `<v:path gradientshapeok="t" o:connecttype="rect"/></v:shapetype>${shapes.join('')}</xml>`
  )
}
