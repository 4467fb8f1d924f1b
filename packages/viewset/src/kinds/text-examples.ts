/** Values that a person would write, by the name of the column. */
const BY_NAME: readonly (readonly [name: RegExp, values: readonly string[]])[] = [
  [/e?mail/i, ['ada@example.org', 'a@b.org']],
  [/url|link|website|homepage|^site$/i, ['https://example.org', 'example.org']],
  [/phone|mobile|fax/i, ['+4930123456', '030123456']],
  [/user_?name|login|nickname/i, ['ada']],
  [/(first|given)_?name/i, ['Ada']],
  [/(last|family)_?name|surname/i, ['Lovelace']],
  [/slug/i, ['an-example', 'example']],
  [/post(al)?_?code|zip/i, ['10115']],
  [/street|address/i, ['1 Example Street']],
  [/currency/i, ['EUR']],
  [/language|locale/i, ['en']],
  [/time_?zone/i, ['Europe/Oslo']],
  [/colou?r/i, ['#1b6ec2']],
  [/^(title|subject|headline)$/i, ['An example']],
  [/^(note|comment|description|summary|body|text|content|message)s?$/i, ['A few words.', 'Words']],
]

const WORDS = ['Example', 'example', 'EXAMPLE', 'Text', 'text', 'TEXT', 'Abc', 'abc', 'ABC', 'Ab', 'ab', 'AB', 'A', 'a']
const CODES = ['1', '12', '123', '1234', '12345', '123456', 'A1', 'A-1', '+4930123456', 'example-1']
const ADDRESSES = ['ada@example.org', 'a@b.org', 'https://example.org', 'example.org']

/** Example texts for a column, the best first. The others are for columns with rules. */
export function textExamples(name: string): readonly string[] {
  const named = BY_NAME.flatMap(([pattern, values]) => (pattern.test(name) ? values : []))
  return [...new Set([...named, ...WORDS, ...CODES, ...ADDRESSES])]
}
