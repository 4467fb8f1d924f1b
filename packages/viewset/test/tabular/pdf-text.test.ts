import fc from 'fast-check'
import { expect, test } from 'vitest'
import { directedParts } from '../../src/tabular/pdf/direction.ts'
import { MARGIN, PADDING, pageLayout, wrapText } from '../../src/tabular/pdf/page-layout.ts'
import { displayText } from '../../src/tabular/pdf/pdf-table.ts'
import type { TabularColumn } from '../../src/tabular/table.ts'

const words = { page: '', rows: '', filters: '', missing: '', utc: '', yes: 'Yes', no: 'No' }

/** Every character is as wide as any other. */
const measure = (text: string) => [...text].length

test.each([
  ['fits', 10, ['fits']],
  ['breaks between words', 10, ['breaks', 'between', 'words']],
  ['a\n\nb', 10, ['a', '', 'b']],
  ['  indented', 10, ['  indented']],
  ['a-wordwithoutblanks', 10, ['a-wordwith', 'outblanks']],
  ['https://example.org/path', 12, ['https://', 'example.org/', 'path']],
  ['東京は日本の首都です。', 5, ['東京は日本', 'の首都で', 'す。']],
  ['', 10, ['']],
])('%j wrapped to %i characters', (text, width, lines) => {
  expect(wrapText(text, width, measure)).toEqual(lines)
})

test('wrapping loses blanks at breaks and nothing else, and no line is too wide', () => {
  const unit = fc.constantFrom('a', 'bc', ' ', '  ', '\n', '-', '/', '東', '。', 'é', '😀', '👩‍👧')
  const text = fc.array(unit, { maxLength: 40 }).map(parts => parts.join(''))
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 12 }), (whole, width) => {
      const lines = wrapText(whole, width, measure)
      expect(lines.join('').replace(/\s/g, '')).toBe(whole.replace(/\s/g, ''))
      const single = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
      for (const line of lines) {
        // What is one letter to a reader is never cut, and neither are blanks.
        if ([...single.segment(line.trim())].length > 1) expect(measure(line.trim())).toBeLessThanOrEqual(width + 1)
      }
    }),
  )
})

test.each([
  ['left', ['left']],
  ['name: שלום עולם!', ['name: ', 'שלום עולם', '!']],
  // Signs between two directions follow the line's own; brackets are mirrored where letters will be turned around.
  ['שלום (2024) עולם', ['( עולם', '2024', 'שלום )']],
  // A pair of brackets goes the way of what is on both sides of it and in it, and stays a pair.
  ['שלום (world) 123', ['123', ' (', 'world', 'שלום )']],
  ['שלום f(x) y', ['f(x) y', 'שלום ']],
  ['foo שלום (עולם) bar', ['foo ', 'שלום )עולם(', ' bar']],
  ['שלום — English text.', ['.', 'English text', 'שלום — ']],
])('the parts of %j from left to right', (line, parts) => {
  expect(directedParts(line).map(({ text }) => text)).toEqual(parts)
})

test.each([
  [null, 'text', ''],
  [true, 'boolean', 'Yes'],
  [false, 'boolean', 'No'],
  [-1.5, 'float', '-1.5'],
  ['12.50', 'decimal', '12.50'],
  ['2026-01-15T10:30:00.123456Z', 'timestamp', '2026-01-15 10:30:00'],
  ['2026-01-15T10:30:00+02:00', 'timestamp', '2026-01-15T10:30:00+02:00'],
  ['a\tb\r\nc\rd', 'text', 'a  b\nc\nd'],
] as const)('%j in a column of %s is shown as %j', (cell, kind, text) => {
  expect(displayText(cell, kind, { words })).toBe(text)
})

test('an integer of any size is shown in full', () => {
  expect(displayText(2n ** 64n, 'integer', { words })).toBe('18446744073709551616')
})

function layoutOf(columns: readonly TabularColumn[], texts: readonly string[]) {
  const points = (text: string) => 5 * measure(text)
  const layout = pageLayout(
    columns,
    texts.map(text => [text]),
    { header: points, body: points },
    'A4',
  )
  const widths = layout.widths.map(width => Math.round(width - 2 * PADDING))
  return { size: layout.size.map(Math.round), widths, total: layout.widths.reduce((sum, width) => sum + width, 0) }
}

test('a table that fits an upright page gets one and fills it', () => {
  const layout = layoutOf(
    [
      { header: 'id', kind: 'integer' },
      { header: 'name', kind: 'text' },
    ],
    ['12', 'x'.repeat(10)],
  )
  expect(layout.size).toEqual([595, 842])
  expect(layout.total).toBeCloseTo(595.28 - 2 * MARGIN)
})

test('columns of a given width keep it', () => {
  const columns: TabularColumn[] = [
    { header: 'a', kind: 'text', width: 20 },
    { header: 'b', kind: 'text' },
    { header: 'c', kind: 'text', width: 10 },
  ]
  const { widths, total } = layoutOf(columns, ['x'.repeat(50), 'y', 'z'])
  expect(widths.filter((_, index) => index !== 1)).toEqual([100, 50])
  expect(total).toBeCloseTo(595.28 - 2 * MARGIN)
})

test('a wide table turns the page, and its texts wrap before its numbers do', () => {
  const columns = ['text', 'text', 'text', 'text', 'timestamp'] as const
  const long = 'word '.repeat(30)
  const { size, widths } = layoutOf(
    columns.map(kind => ({ header: kind, kind })),
    [long, long, long, long, '2026-01-15 10:30:00'],
  )
  expect(size).toEqual([842, 595])
  expect(widths[4]).toBeGreaterThanOrEqual(5 * 19)
  expect(widths[0]).toBeLessThan(5 * 42)
})

test('a very wide table takes a larger sheet, as large as it has to be', () => {
  const columns = (count: number) =>
    Array.from({ length: count }, () => ({ header: 'number', kind: 'integer' }) as const)
  const texts = (count: number) => Array.from({ length: count }, () => '1234567890')
  expect(layoutOf(columns(16), texts(16)).size).toEqual([1191, 842])
  expect(layoutOf(columns(100), texts(100)).size).toEqual([100 * (50 + 2 * PADDING) + 2 * MARGIN, 842])
  expect(layoutOf(columns(1000), texts(1000)).size).toEqual([14_400, 842])
})
