import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldCase } from '../../src/core/text.ts'
import { type CaseRange, caseRanges, mergedRanges, otherCaseRanges } from '../../src/store/rows-in-ranges.ts'
import { cases } from '../support/cases.ts'

/** What an index over SQLite's `lower` has of a text. */
const inIndex = (text: string) => text.replace(/[A-Z]/g, letter => letter.toLowerCase())
const has = (ranges: readonly CaseRange[], text: string) => ranges.filter(([low, high]) => low <= text && text <= high)
const texts = fc.array(fc.constantFrom(...'iIİkK\u212aaAbäÄßſ1 '), { maxLength: 8 }).map(letters => letters.join(''))

describe('where a text can stand in an index that knows the case of ASCII only', () => {
  test('only two letters outside of ASCII have a small letter of ASCII', () => {
    const found: number[] = []
    for (let code = 0x80; code < 0x110000; code++) {
      if (/[\0-\x7f]/.test(foldCase(String.fromCodePoint(code)))) found.push(code)
    }
    expect(found).toEqual([0x130, 0x212a])
  })

  test('a text without these letters stands in one place', () => {
    expect(caseRanges('Ada')).toEqual([['ada', 'ada']])
    expect(otherCaseRanges('Ada')).toEqual([])
  })

  test('whatever differs only in case stands in exactly one of the ranges', () => {
    fc.assert(
      fc.property(texts, texts, (text, other) => {
        const variant = [...text].map((letter, at) => (other[at] === 'a' ? letter.toUpperCase() : letter)).join('')
        const ranges = caseRanges(text)
        for (const each of [text, variant, other]) {
          if (foldCase(each) === foldCase(text)) expect(has(ranges, inIndex(each))).toHaveLength(1)
        }
        // What is not the text itself has all the others.
        if (inIndex(text) !== foldCase(text)) expect(has(otherCaseRanges(text), inIndex(text))).toHaveLength(1)
      }),
      { numRuns: cases(2000) },
    )
  })

  test('ranges that touch are looked at once', () => {
    fc.assert(
      fc.property(fc.array(texts, { maxLength: 5 }), texts, (some, text) => {
        const all = some.flatMap(caseRanges)
        expect(has(mergedRanges(all), text).length).toBe(has(all, text).length > 0 ? 1 : 0)
      }),
      { numRuns: cases(2000) },
    )
  })

  test('a long text has few of them', () => {
    const ranges = caseRanges('ik'.repeat(50_000))
    expect(ranges).toHaveLength(66)
    expect(JSON.stringify(ranges).length).toBeLessThan(10_000)
  })
})
