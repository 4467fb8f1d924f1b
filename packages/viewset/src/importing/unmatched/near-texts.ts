import { editDistance } from '../../core/suggestion.ts'

export const MOST_SUGGESTIONS = 3
/** Letters from which a part of a text says enough. */
const SHORTEST_PART = 3

interface Compared {
  readonly text: string
  readonly letters: string
}

/** Up to three candidates that a text may stand for, the nearest first: `norge ` -> `Norge`, `NO`. */
export function nearTexts(text: string, candidates: readonly Compared[]): readonly string[] {
  const asked = lettersOf(text)
  if (asked === '') return []
  const near = candidates.flatMap(candidate => {
    const distance = distanceOf(asked, candidate.letters)
    return distance === undefined ? [] : [{ text: candidate.text, distance }]
  })
  near.sort((a, b) => a.distance - b.distance || a.text.length - b.text.length || (a.text < b.text ? -1 : 1))
  return near.slice(0, MOST_SUGGESTIONS).map(candidate => candidate.text)
}

export function compared(text: string): Compared {
  return { text, letters: lettersOf(text) }
}

/** Without accents, case, blanks and signs. */
function lettersOf(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  return plain.replace(/[^\p{L}\p{N}]+/gu, '')
}

/** The number of wrong letters; 1 for an abbreviation, and 3 for a part of the other text. */
function distanceOf(asked: string, letters: string): number | undefined {
  if (letters === '') return undefined
  if (letters === asked) return 0
  const [short, long] = letters.length < asked.length ? [letters, asked] : [asked, letters]
  if (short.length > 1 && long.startsWith(short)) return 1
  const most = long.length <= 3 ? 1 : Math.floor(long.length / 3)
  const distance = long.length - short.length <= most ? editDistance(asked, letters) : Number.POSITIVE_INFINITY
  if (distance <= most) return distance
  return short.length >= SHORTEST_PART && long.includes(short) ? SHORTEST_PART : undefined
}
