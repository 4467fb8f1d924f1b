import { expect, test } from 'vitest'
import { directedParts } from '../../src/tabular/pdf/direction.ts'

/** What stands on the page, from left to right: the shaping engine turns Hebrew and Arabic letters around. */
function shown(line: string): string {
  const isTurned = /\p{Script=Hebrew}|\p{Script=Arabic}/u
  return directedParts(line)
    .map(({ text }) => (isTurned.test(text) ? [...text].reverse().join('') : text))
    .join('')
}

test.each([
  ['a line without such letters', 'Total: 12.50 (incl. 20%)', 'Total: 12.50 (incl. 20%)'],
  ['a name in brackets', 'abc (שלום) 12', 'abc (םולש) 12'],
  ['a percentage stays together', 'הנחה 10%', '10% החנה'],
  ['a sum stays together', '3 × 4 שווה 12', '12 הווש 4 × 3'],
  ['digits of Arabic go from left to right', 'رقم ١٢٣', '١٢٣ مقر'],
  ['and so do those of Persian', 'تومان ۱۲۳', `${'۱۲۳'} ${'ناموت'}`],
  ['brackets open the other way', '(שלום) וגם [עולם]', '[םלוע] םגו (םולש)'],
  ['an address among Hebrew', 'דוא"ל: a@b.co', 'a@b.co :ל"אוד'],
  ['words of both directions', 'John שלום Smith', 'John םולש Smith'],
  ['a mark decides, and is not shown', '\u200FISO 9001, שלום', 'םולש ,ISO 9001'],
])('%s', (_, line, expected) => {
  expect(shown(line)).toBe(expected)
})

test('turns Persian digits beforehand, which the engine would turn though they go from left to right', () => {
  expect(directedParts('תומן ۱۲۳')[0]?.text).toBe('۳۲۱')
})
