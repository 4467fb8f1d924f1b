import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { english } from '../../src/core/messages/english.ts'
import { french } from '../../src/core/messages/french.ts'
import { german } from '../../src/core/messages/german.ts'
import { japanese } from '../../src/core/messages/japanese.ts'
import {
  ENGLISH,
  errorCode,
  fromText,
  inEnglish,
  inLanguage,
  Message,
  type MessageName,
  message,
  type Texts,
} from '../../src/core/messages/message.ts'
import { spanish } from '../../src/core/messages/spanish.ts'

const names = Object.keys(english) as (keyof typeof english)[]
const translations = { german, french, spanish, japanese }

/** The parameters that a text reads, each with a value that shows in a text. */
function readBy(text: (params: never) => string): Readonly<Record<string, unknown>> {
  const read: Record<string, unknown> = {}
  const params = new Proxy(read, {
    get: (target, name) => {
      if (typeof name === 'string' && !(name in target)) target[name] = sampleOf(name)
      return Reflect.get(target, name)
    },
  })
  text(params as never)
  return read
}

const NUMBERS =
  /^(max|min|count|rows|row|bytes|size|line|column|levels|times|jobs|streams|last|failed|of|stored|deleted|skipped|created|updated|zeros|digits|more|cells)$/
const LISTS = /^(names|keys|resources|headers|formats|words|columns|sheets|fields|numbers|values|others|texts)$/

function sampleOf(name: string): unknown {
  if (NUMBERS.test(name)) return 7
  if (name === 'found') return 'number'
  return LISTS.test(name) ? ['«a»', '«b»'] : `«${name}»`
}

function rendered(texts: Texts, name: MessageName, params: unknown): string {
  return inLanguage({ ...ENGLISH, texts }, () => String(new Message(name, params)))
}

test.each(Object.entries(translations))(
  'the catalogue in %s has each message, with the same parameters',
  (_, texts) => {
    expect(Object.keys(texts)).toEqual(names)
    for (const name of names) {
      const original: unknown = english[name]
      if (typeof original !== 'function') {
        expect([name, typeof texts[name]]).toEqual([name, 'string'])
        continue
      }
      const params = readBy(original as (params: never) => string)
      const text = rendered(texts, name, params)
      const shown = rendered(english, name, params)
      for (const mark of shown.match(/«\w+»/g) ?? []) expect(`${name}: ${text}`).toContain(mark)
      expect(text.trim()).not.toBe('')
      expect(text).not.toMatch(/undefined|null|\[object|NaN/)
    }
  },
)

test.each([
  ['German', german, '„', '“'],
  ['French', french, '« ', ' »'],
])('%s texts quote a name as this language does, and have no typewriter apostrophe', (_, texts, open, close) => {
  const shown = names.map(name => {
    const original: unknown = english[name]
    const params = typeof original === 'function' ? readBy(original as (params: never) => string) : undefined
    return `${name}: ${rendered(texts, name, params)}`
  })
  // Examples of JSON, CSV and headers keep the quotes that programs need.
  expect(shown.filter(text => /"«|»"|"7"|\p{L}'\p{L}/u.test(text))).toEqual([])
  expect(shown.find(text => text.startsWith('missing_sheet:'))).toContain(`${open}«sheet»${close}`)
  expect(shown.find(text => text.startsWith('missing_sheet.needed:'))).toContain(`${open}«a»${close}`)
})

test('a name begins with the code of its error, in the characters of a code', () => {
  for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)?$/)
  expect(message('max_length.items', { max: 3 }).code).toBe('max_length')
  expect(errorCode('A text of the application.')).toBe('invalid')
})

test('no message is English in another language by accident', () => {
  const same = names.filter(name => typeof english[name] === 'string' && german[name] === (english[name] as unknown))
  expect(same).toEqual(['json.colon', 'template.optional', 'template.text', 'template.json', 'root.schema'])
})

test('a message passes through a library as a text', () => {
  const sent = message('max_length', { max: 3 })
  expect(fromText(String(sent))).toEqual(sent)
  expect(fromText('My own text.')).toBe('My own text.')
})

test('a text is the message that became it last, since two messages may have the same text', () => {
  const [first, last] = [
    message('invalid_integer.quoted', { value: '"5"' }),
    message('invalid_number.quoted', { value: '"5"' }),
  ]
  expect(String(first)).toBe(String(last))
  expect(fromText(String(first))).toEqual(first)
  expect(fromText(String(last))).toEqual(last)
})

test('a text is English outside a request, and in JSON', () => {
  expect(String(message('required'))).toBe(english.required)
  expect(JSON.stringify([message('required')])).toBe(JSON.stringify([english.required]))
  expect(inEnglish('My own text.')).toBe('My own text.')
})

/** Codes of errors that have no `errors`, and parts of other messages. */
const NOT_OF_FIELDS =
  /^(conflict|invalid_data|not_found|gone|method_not_allowed|not_authenticated|permission_denied|too_many_requests|service_unavailable|internal_error|unsupported_media_type|payload_too_large|request_timeout|headers_too_large|expectation_failed|too_many_rows|hint|expected|content|template|restored|imported|job|failed_rows|pdf|root|json|size|sentences|template_is_at|several_errors|text_cut|missing_glyphs|ignored|answer_too_long|answer_withheld)$/

test('the page about codes lists each code of fields, and no other', async () => {
  const page = await readFile(join(import.meta.dirname, '../../../../docs/error-codes-and-translations.md'), 'utf8')
  const [, table = ''] = page.split(/\n## (?:Codes|Settings)\n/)
  const listed = [...table.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code).filter(code => code !== undefined)
  const codes = new Set(names.map(name => errorCode(new Message(name))).filter(code => !NOT_OF_FIELDS.test(code)))
  expect(listed).toEqual([...codes])
})
