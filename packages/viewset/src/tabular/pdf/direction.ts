import { createRequire } from 'node:module'
import { graphemes } from './page-layout.ts'

// A CommonJS module whose types declare an ES module.
const bidiFactory: typeof import('bidi-js').default = createRequire(import.meta.url)('bidi-js')
const bidi = bidiFactory()

/** Right-to-left letters, and marks that change the direction. */
const MAY_TURN =
  /[\u0590-\u08FF\u200F\u202B\u202E\u2067\uFB1D-\uFDFF\uFE70-\uFEFC\u{10800}-\u{10FFF}\u{1E800}-\u{1EFFF}]/u
const MARKS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

/** Scripts that the shaping engine (fontkit) sets from right to left. */
const ENGINE_TURNS = new RegExp(
  `[${'Arab Hebr Syrc Thaa Nkoo Samr Mand Mani Mend Cprt Khar Phnx Lydi Avst Armi Phli Phlp Prti Sarb Narb Orkh Merc Mero Nbat Palm'.replaceAll(/(\w+) ?/g, '\\p{Script=$1}')}]`,
  'u',
)

export interface DirectedText {
  readonly text: string
  readonly isRightToLeft: boolean
}

/**
 * The parts of a line in visual order from left to right, by the Unicode bidirectional algorithm. The first strong
 * letter sets the base direction.
 */
export function directedParts(line: string): readonly DirectedText[] {
  if (!MAY_TURN.test(line)) return [{ text: line, isRightToLeft: false }]
  const { levels } = bidi.getEmbeddingLevels(line)
  return inVisualOrder(partsOf(line, levels)).flatMap(({ text, level }) => {
    const isRightToLeft = level % 2 === 1
    const shown = forEngine(text.replace(MARKS, ''), isRightToLeft)
    return shown === '' ? [] : [{ text: shown, isRightToLeft }]
  })
}

interface LevelText {
  readonly text: string
  /** The embedding level: even from left to right, odd from right to left. */
  readonly level: number
}

function partsOf(line: string, levels: Uint8Array): readonly LevelText[] {
  const parts: LevelText[] = []
  let start = 0
  for (let at = 1; at <= line.length; at++) {
    if (at < line.length && levels[at] === levels[start]) continue
    parts.push({ text: line.slice(start, at), level: levels[start]! })
    start = at
  }
  return parts
}

/** Rule L2 of the algorithm: reverses nested parts from the deepest level outwards. */
function inVisualOrder(parts: readonly LevelText[]): readonly LevelText[] {
  const ordered = [...parts]
  for (let level = Math.max(...parts.map(part => part.level)); level > 0; level--) {
    let start = 0
    for (let at = 0; at <= ordered.length; at++) {
      if (at < ordered.length && ordered[at]!.level >= level) continue
      ordered.splice(start, at - start, ...ordered.slice(start, at).reverse())
      start = at + 1
    }
  }
  return ordered
}

/**
 * The engine looks only at the letters of a text. A text that it would set in the wrong direction is reversed first.
 */
function forEngine(text: string, isRightToLeft: boolean): string {
  const signs = isRightToLeft ? mirrored(text) : text
  return ENGINE_TURNS.test(text) === isRightToLeft ? signs : graphemes(signs).toReversed().join('')
}

function mirrored(text: string): string {
  return Array.from(text, character => bidi.getMirroredCharacter(character) ?? character).join('')
}
