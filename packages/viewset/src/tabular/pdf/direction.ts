// Hebrew, Arabic and their relatives, without their digits, which are read from left to right.
const RIGHT = '\\u0590-\\u065F\\u066E-\\u06EF\\u06FA-\\u08FF\\uFB1D-\\uFDFF\\uFE70-\\uFEFC'
const HAS_RIGHT = new RegExp(`[${RIGHT}]`)
const STARTS_RIGHT = new RegExp(`^\\P{L}*[${RIGHT}]`, 'u')
const RIGHT_WORDS = wordsOf(`[${RIGHT}]+`)
/** Digits go to these. */
const LEFT_WORDS = wordsOf(`(?:(?![${RIGHT}])[\\p{L}\\p{M}\\p{N}])+`)

const MIRRORED: Readonly<Record<string, string>> = {
  '(': ')',
  ')': '(',
  '[': ']',
  ']': '[',
  '{': '}',
  '}': '{',
  '<': '>',
  '>': '<',
  '«': '»',
  '»': '«',
}

/** Words of one direction with the signs between them; brackets are among these where both of a pair are. */
function wordsOf(word: string): RegExp {
  const sign = '(?![()[\\]{}])[\\s\\p{P}\\p{S}]'
  const pair = `[([{](?:${sign})*${word}(?:(?:${sign})+${word})*(?:${sign})*[)\\]}]`
  return new RegExp(`(${word}(?:(?:${sign})+${word}|(?:${sign})*${pair}(?:${word})?)*)`, 'u')
}

/** A part of a line whose letters all go one way. */
export interface DirectedText {
  readonly text: string
  readonly isRightToLeft: boolean
}

/**
 * The parts of a line in the order in which they stand on the page, from left to right. This is the Unicode
 * bidirectional algorithm cut down to what table cells need: the first letter says which way the line goes, the signs
 * between two directions follow it, and nothing is nested.
 */
export function directedParts(line: string): readonly DirectedText[] {
  if (!HAS_RIGHT.test(line)) return [{ text: line, isRightToLeft: false }]
  const startsRight = STARTS_RIGHT.test(line)
  // Splitting by a group gives in turn what is between the matches and the matches.
  const parts = line.split(startsRight ? LEFT_WORDS : RIGHT_WORDS).map((text, index) => {
    const isRightToLeft = (index % 2 === 1) !== startsRight
    return { text: isRightToLeft ? mirrored(text) : text, isRightToLeft }
  })
  return (startsRight ? parts.reverse() : parts).filter(({ text }) => text !== '')
}

/** The shaping engine turns letters around, not what has none. */
function mirrored(text: string): string {
  const signs = text.replace(/[()[\]{}<>«»]/g, sign => MIRRORED[sign] ?? sign)
  return HAS_RIGHT.test(text) ? signs : [...signs].reverse().join('')
}
