import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextFinder } from '../../src/tabular/read/xlsx/text-finder.ts'

/** What is found of a document that comes in chunks. */
function find(document: string, wanted: readonly number[], chunk = document.length): Record<number, string> {
  const finder = new TextFinder(wanted, 1_000)
  const bytes = Buffer.from(document)
  const found = []
  for (let at = 0; at < bytes.length; at += chunk) found.push(...finder.find(bytes.subarray(at, at + chunk)))
  found.push(...finder.end())
  return Object.fromEntries(found.map(({ index, xml }) => [index, xml.toString()]))
}

const ODD = [
  '<si><t>one</t></si>',
  '<si/>',
  '<si><x:si>three</x:si></si>',
  '<si ><t>four</t></si >',
  '<si><!-- <si> --><t><![CDATA[</si><si>]]></t></si>',
  '<si><phonetic/><sis/><t>&lt;si></t></si>',
  '<si><t>ünï</t></si>',
]
const DOCUMENT = `<?xml version="1.0"?><sst count="7">${ODD.join('\n<x:si><t>x</t></x:si><x:si/>')}<!-- <si> --></sst>`

test('texts are found by their numbers, whatever they are written with and wherever the document is cut', () => {
  fc.assert(
    fc.property(fc.subarray([0, 2, 3, 4, 5, 6]), fc.integer({ min: 1, max: 300 }), (wanted, chunk) => {
      expect(find(DOCUMENT, wanted, chunk)).toEqual(Object.fromEntries(wanted.map(index => [index, ODD[index]])))
    }),
  )
})

test('texts have the prefix of the root', () => {
  const root = '<x:sst xmlns:x="urn:x">'
  const document = `<?xml version="1.0"?><!-- <sst> -->${root}<si><t>no</t></si><x:si>0</x:si><x:si/><x:si>2</x:si></x:sst>`
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), chunk => {
      expect(find(document, [0, 1, 2], chunk)).toEqual({ 0: '<x:si>0</x:si>', 2: '<x:si>2</x:si>' })
    }),
  )
  const finder = new TextFinder([0], 1_000)
  finder.find(Buffer.from(document))
  expect(finder.root.toString()).toBe(root)
})

test('an empty text is none, and neither is one behind the last', () => {
  expect(find(DOCUMENT, [1, 7, 99])).toEqual({})
})

test('it is done with the last that is wanted', () => {
  const finder = new TextFinder([1, 0], 1_000)
  expect(finder.isDone).toBe(false)
  finder.find(Buffer.from(`<sst>${ODD.slice(0, 3).join('')}${' '.repeat(100)}`))
  expect(finder.isDone).toBe(true)
})

test('a document type is refused, and a text without an end', () => {
  expect(() => find('<!DOCTYPE x [<!ENTITY y "z">]><sst/>'.padEnd(200), [0])).toThrow('document type')
  expect(() => find(`<sst><si><t>${'x'.repeat(2_000)}`, [0])).toThrow('too long')
})
