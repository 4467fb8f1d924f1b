import { expect } from 'vitest'
import { MOST_WORDS, RETIRED_WORDS } from '../support/plain-english.ts'

/** What no person should have to read in a message. */
const INTERNAL: readonly RegExp[] = [
  /^\s*at .+:\d+/m,
  /node_modules|\.ts:\d|\.js:\d/,
  /\bselect\b.+\bfrom\b|\binsert into\b|\bdelete from\b|SQLITE_[A-Z]|constraint failed/i,
  /\[object /,
  /\bNaN\b/,
  /\bis not a function\b|\bis not iterable\b|Cannot read propert/,
]

/** Rules of plain English and of safety, for a message of any kind. */
export function expectPlain(text: string): void {
  // A list of known names is no sentence.
  const sentences = text
    .replace(/https?:\S+/g, 'url')
    .replace(/"[^"]*"(, "[^"]*")+/g, '"list"')
    .split(/(?<=[.?!;])\s+/)
  const wordsOf = (sentence: string) => sentence.match(/[\p{L}\p{N}_$'.-]+/gu) ?? []
  expect(sentences.filter(sentence => wordsOf(sentence).length > MOST_WORDS)).toEqual([])
  expect(wordsOf(text).filter(word => Object.hasOwn(RETIRED_WORDS, word.toLowerCase()))).toEqual([])
  for (const internal of INTERNAL) expect(text).not.toMatch(internal)
}
