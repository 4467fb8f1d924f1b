import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type FieldErrors, ValidationError } from '../../src/core/errors.ts'
import { parseJsonBody } from '../../src/core/json/parse-json-body.ts'
import { cases } from '../support/cases.ts'
import { jsonBodyProperties } from '../support/json-bodies.ts'

function read(body: string | readonly number[], maxDepth?: number): unknown {
  const bytes = typeof body === 'string' ? Buffer.from(body) : Uint8Array.from(body)
  return parseJsonBody(bytes, maxDepth === undefined ? {} : { maxDepth })
}

function refusal(body: string | readonly number[], maxDepth?: number): ValidationError {
  try {
    read(body, maxDepth)
  } catch (error) {
    if (error instanceof ValidationError) return error
    throw error
  }
  throw new Error('The body was accepted.')
}

function errorsOf(body: string): FieldErrors | undefined {
  return refusal(body).errors
}

/** A refusal of the body as a whole: the sentence is the message, and stands under `non_field_errors`. */
function sentenceOf(body: string | readonly number[], maxDepth?: number): string {
  const { message, errors } = refusal(body, maxDepth)
  expect(errors).toEqual({ non_field_errors: [message] })
  return message
}

describe('what is JSON is read', () => {
  test.each([
    ['{"a":[1,-2.5,true,false,null,"x"],"b":{"c":{}}}'],
    [' \r\n\t{ "a" : [ ] , "b" : "\\u00e9\\n\\"\\/" } \n'],
    ['"text"'],
    ['12'],
    ['null'],
    ['{"":1}'],
    ['["Zürich","東京","\u{1f600}"]'],
  ])('%s', body => {
    expect(read(body)).toEqual(JSON.parse(body))
  })

  test('a byte order mark is skipped', () => {
    expect(read('\ufeff{"a":1}')).toEqual({ a: 1 })
    expect(read('\ufeff{"a":1,"b":"\\ud83d\\ude00"}')).toEqual({ a: 1, b: '\u{1f600}' })
  })

  test('bytes that are a part of a larger buffer', () => {
    expect(parseJsonBody(new TextEncoder().encode('xx{"a":"é"}yy').subarray(2, -2))).toEqual({ a: 'é' })
  })
})

test.each([[''], [' \n'], ['\ufeff']])('an empty body is refused: %j', body => {
  expect(sentenceOf(body)).toBe('The body is empty.')
})

// V8 would read an escaped key as another one that it has read before in its place (nodejs/node#63785).
describe('a key with an escape is the key that was sent', () => {
  const body = (key: string) => JSON.stringify({ id: 1, list: [{ a: 1, [key]: { [key]: 2 } }], '~': 3 })
  test.each([['"'], ['\n'], ['\t'], ['a"'], ['a\n'], ['é"\\'], ['":']])('%j', key => {
    for (const earlier of ['\\', 'a\\', 'é\\', '"\\']) {
      expect(Object.keys((read(body(earlier)) as { list: [object] }).list[0])).toEqual(['a', earlier])
      const { list } = read(body(key)) as { list: [Record<string, object>] }
      expect([Object.keys(list[0]), Object.keys(list[0][key] ?? {})]).toEqual([['a', key], [key]])
    }
  })

  test('beside text that looks like one, and like what stands in for it', () => {
    const value = { 'a\\': ['"b\\":', '~0', '\\'], '~0': 1, '~~1': { '"': 2 }, '': '"' }
    expect(Object.entries(read(JSON.stringify(value)) as object)).toEqual(Object.entries(value))
  })
})

describe('text that is not UTF-8 is refused', () => {
  test.each([
    ['a Latin-1 letter', [0x22, 0xfc, 0x22], 2],
    ['a surrogate', [0x22, 0x61, 0xed, 0xa0, 0x80, 0x22], 3],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22], 2],
    ['a character that is cut off', [0x22, 0xc3, 0xa9, 0xe6, 0x9d], 3],
    ['half a replacement character', [0x22, 0xef, 0xbf, 0x22], 2],
    ['something behind a real replacement character', [0x22, 0xef, 0xbf, 0xbd, 0xff, 0x22], 3],
    ['UTF-16', [0xff, 0xfe, 0x22, 0x00, 0x22, 0x00], 1],
  ])('%s', (_name, bytes, column) => {
    expect(sentenceOf(bytes)).toBe(`The body is not valid UTF-8 at line 1, column ${column}. Send it as UTF-8.`)
  })

  test('the place is told by line, and the next body is read as ever', () => {
    const bytes = [...Buffer.from('{\n  "a": "'), 0x80]
    expect(sentenceOf(bytes)).toBe('The body is not valid UTF-8 at line 2, column 9. Send it as UTF-8.')
    expect(read('\ufeff{"a":"é"}')).toEqual({ a: 'é' })
  })
})

describe('malformed JSON is refused, with the place and what was expected there', () => {
  test.each([
    ['{', 'line 1, column 2: expected a key in double quotes, but it ends there.'],
    ['[', 'line 1, column 2: expected a value, but it ends there.'],
    ['{"a":1', 'line 1, column 7: expected "," or "}", but it ends there.'],
    ['{\n  "a": 1,\n}', 'line 3, column 1: expected a key after the comma, or no comma, found "}".'],
    ['[1,]', 'line 1, column 4: expected a value, found "]".'],
    ['[1 2]', 'line 1, column 4: expected "," or "]", found "2".'],
    ["{'a':1}", 'line 1, column 2: expected a key in double quotes, found "\'".'],
    ['{a:1}', 'line 1, column 2: expected a key in double quotes, found "a".'],
    ['{"a" 1}', 'line 1, column 6: expected ":", found "1".'],
    ['{"a":1}x', 'line 1, column 8: expected the end of the body, found "x".'],
    ['{"a":None}', 'line 1, column 6: expected a value, found "None".'],
    ['truer', 'line 1, column 1: expected a value, found "truer".'],
    ['undefined', 'line 1, column 1: expected a value, found "undefined".'],
    ['[01]', 'line 1, column 3: expected "," or "]", found "1".'],
    ['[1.]', 'line 1, column 3: expected "," or "]", found ".".'],
    ['[.5]', 'line 1, column 2: expected a value, found ".5".'],
    ['[+1]', 'line 1, column 2: expected a value, found "+1".'],
    ['["abc]', 'line 1, column 7: expected a closing quote, but it ends there.'],
    ['["a\nb"]', 'line 1, column 4: expected control characters to be escaped, found "\\n".'],
    ['["a\0"]', 'line 1, column 4: expected control characters to be escaped, found "\\u0000".'],
    ['["a\\x"]', 'line 1, column 4: expected an escape of JSON, such as \\n, found "\\\\".'],
    ['["\\Ru0000"]', 'line 1, column 3: expected an escape of JSON, such as \\n, found "\\\\".'],
    ['{"\\N":"\\U0041"}', 'line 1, column 3: expected an escape of JSON, such as \\n, found "\\\\".'],
    ['["\\u12g4"]', 'line 1, column 3: expected an escape of JSON, such as \\n, found "\\\\".'],
    ['// a\n1', 'line 1, column 1: expected a value, found "/".'],
    ['[\u00a01]', 'line 1, column 2: expected a value, found "\u00a0".'],
    ['\u{1f600}', 'line 1, column 1: expected a value, found "\u{1f600}".'],
    ['a=1&b=2', 'line 1, column 1: expected a value, found "a".'],
  ])('%j', (body, problem) => {
    expect(sentenceOf(body)).toBe(`The body is not valid JSON at ${problem}`)
  })
})

describe('NUL and lone surrogates are refused, under the path of their value', () => {
  const NUL = 'NUL characters are not allowed.'
  test.each([
    ['{"name":"a\\u0000b"}', { name: [NUL] }],
    ['{"author":{"name":"\\u0000"}}', { 'author.name': [NUL] }],
    ['[{},{"title":"\\u0000"},["\\u0000"]]', { '1.title': [NUL], '2.0': [NUL] }],
    ['"\\u0000"', { non_field_errors: [NUL] }],
    ['{"name":"\\ud83d"}', { name: ['Surrogate characters are not allowed: U+D83D.'] }],
    ['{"name":"\\uDE00\\uD83D"}', { name: ['Surrogate characters are not allowed: U+DE00.'] }],
    ['{"a":{"b\\u0000":1}}', { a: [`The key "b\\u0000" is not valid. ${NUL}`] }],
    [
      '{"\\udbff":1}',
      { non_field_errors: ['The key "\\udbff" is not valid. Surrogate characters are not allowed: U+DBFF.'] },
    ],
  ])('%s', (body, errors) => {
    expect(errorsOf(body)).toEqual(errors)
  })

  test('a pair of surrogates is a character, and an escaped backslash starts no escape', () => {
    expect(read('["\\ud83d\\ude00","\\\\u0000","\\\\ud800"]')).toEqual(['\u{1f600}', '\\u0000', '\\ud800'])
  })

  test('other control characters are text', () => {
    expect(read('["\\u0001\\t\\u007f"]')).toEqual(['\u0001\t\u007f'])
  })
})

describe('numbers arrive as they were sent or not at all', () => {
  const TOO_LARGE = 'This number is too large.'
  const UNSAFE = 'This integer is too large to be exact as a number. Send it as a string.'
  const inexact = (value: string) =>
    `This number cannot be held exactly: it would become ${value}. Send it as a string.`

  test.each([
    ['1e999', TOO_LARGE],
    ['-1e999', TOO_LARGE],
    ['1.8E308', TOO_LARGE],
    ['9007199254740992', UNSAFE],
    ['-9007199254740993', UNSAFE],
    ['100000000000000000000000', UNSAFE],
    ['9'.repeat(400), UNSAFE],
    ['12345678901234567.89', inexact('12345678901234568')],
    ['1234567890123456.7', inexact('1234567890123456.8')],
    ['1.00000000000000000001', inexact('1')],
    ['-0.1000000000000000055', inexact('-0.1')],
    ['9007199254740993.0', inexact('9007199254740992')],
    ['9007199254740993e0', inexact('9007199254740992')],
    ['1e-400', inexact('0')],
    ['1.2345678E-320', inexact('1.2347e-320')],
    ['NaN', 'NaN is not a number in JSON.'],
    ['-Infinity', '-Infinity is not a number in JSON.'],
  ])('refused: %s', (source, problem) => {
    expect(errorsOf(`{"stock":${source}}`)).toEqual({ stock: [problem] })
    expect(errorsOf(`[{"id":1},{"stock": ${source} , "x":0}]`)).toEqual({ '1.stock': [problem] })
    expect(errorsOf(source)).toEqual({ non_field_errors: [problem] })
    expect(errorsOf(`\ufeff${source}`)).toEqual({ non_field_errors: [problem] })
  })

  test.each([
    ['0.1'],
    ['-29.90'],
    ['1.50000000000000000000'],
    ['9007199254740991'],
    ['-9007199254740991'],
    ['9007199254740992.0'],
    ['0.30000000000000004'],
    ['123456789012345.67'],
    ['6.02214076e23'],
    ['1e21'],
    ['5e-324'],
    ['1.7976931348623157e308'],
    ['-0.0'],
    ['0e-999'],
    ['000'.replace('00', '')],
  ])('taken: %s', source => {
    expect(read(`{"n":${source}}`)).toEqual({ n: Number(source) })
  })

  test.each([['8.000000000000001'], ['8000000000000001e-15']])('wherever in the body it stands: %s', source => {
    for (let length = 0; length < 40; length++) {
      const befores = [`"${'x'.repeat(length)}"`, `"${'9'.repeat(length)}"`, `${' '.repeat(length)}1234567`]
      for (const before of befores) expect(() => read(`[${before},${source}]`)).toThrow(ValidationError)
    }
  })

  test('digits in text are text', () => {
    const text = {
      id: '12345678901234567890',
      note: 'order 12345678901234567.89, 1e999',
      uuid: '018f3a5c-7b2e-4c4d-91e-400',
    }
    expect(read(JSON.stringify({ ...text, zero: 0 }))).toEqual({ ...text, zero: 0 })
  })
})

describe('no key changes a prototype', () => {
  test.each([
    ['{"__proto__":{"admin":true}}', 'non_field_errors', '__proto__'],
    ['{"\\u005f_proto__":1}', 'non_field_errors', '__proto__'],
    ['[{"author":{"__proto__":null}}]', '0.author', '__proto__'],
    ['{"constructor":{"prototype":{"admin":true}}}', 'constructor', 'prototype'],
    ['{"a":{"constr\\u0075ctor":{"x":1,"prototype":1}}}', 'a.constructor', 'prototype'],
  ])('refused: %s', (body, path, key) => {
    expect(errorsOf(body)).toEqual({ [path]: [`The key "${key}" is not allowed here.`] })
    expect(({} as { admin?: boolean }).admin).toBeUndefined()
  })

  test.each([
    ['{"constructor":"Bauer AG","prototype":{"constructor":1}}'],
    ['{"constructor":{"name":"x"}}'],
    ['{"toString":1,"hasOwnProperty":2,"valueOf":null}'],
    ['{"note":"__proto__","proto":"constructor.prototype"}'],
  ])('data like any other: %s', body => {
    const value = read(body) as object
    expect(Object.entries(value)).toEqual(Object.entries(JSON.parse(body)))
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  })
})

describe('a key is given once in an object', () => {
  const TWICE = 'This key is given more than once.'
  test.each([
    ['{"price":1,"price":2}', { price: [TWICE] }],
    ['{"price":1,"price" :1}', { price: [TWICE] }],
    ['{"price":1,"pr\\u0069ce":1}', { price: [TWICE] }],
    ['[{"a":{"b":1,"c":2,"b":3,"b":4}},{"b":1}]', { '0.a.b': [TWICE] }],
  ])('%s', (body, errors) => {
    expect(errorsOf(body)).toEqual(errors)
  })

  test('text that looks like a key is none', () => {
    expect(read('[{"a":"x\\":1","b":"Note : \\" :"},{"a":":"}]')).toEqual([{ a: 'x":1', b: 'Note : " :' }, { a: ':' }])
  })
})

describe('depth', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`

  test('64 levels are read, 65 are refused', () => {
    expect(read(nested(64))).toEqual(JSON.parse(nested(64)))
    expect(sentenceOf(nested(65))).toBe('The body is nested deeper than 64 levels at line 1, column 65.')
  })

  test('objects count as arrays do', () => {
    const body = `${'{"a":'.repeat(65)}1${'}'.repeat(65)}`
    expect(sentenceOf(body)).toBe('The body is nested deeper than 64 levels at line 1, column 321.')
  })

  test.each([[5_000], [500_000]])('%i levels do not exhaust the stack', depth => {
    const sentence = 'The body is nested deeper than 64 levels at line 1, column 65.'
    expect(sentenceOf(nested(depth))).toBe(sentence)
    expect(sentenceOf('['.repeat(depth))).toBe(sentence)
  })

  test('nor do they beside keys with escapes', () => {
    const sentence = 'The body is nested deeper than 64 levels at line 1, column 74.'
    expect(sentenceOf(`[{"\\\\":1},${nested(100_000)}]`)).toBe(sentence)
  })

  test('maxDepth sets another limit', () => {
    expect(read('{"a":1}', 1)).toEqual({ a: 1 })
    expect(sentenceOf('{"a":[]}', 1)).toBe('The body is nested deeper than 1 levels at line 1, column 6.')
    expect(read(`${'{"a":['.repeat(500)}0.10000000000000000${']}'.repeat(500)}`, 1000)).toBeTypeOf('object')
    expect(() => read('{}', 0)).toThrow(RangeError)
    expect(() => read('{}', 1001)).toThrow(RangeError)
  })
})

describe('errors', () => {
  test('all values are told together', () => {
    const { message, errors, status } = refusal('[{"a":1e999,"b":"\\u0000"},{"a":1},{"a":NaN,"a":NaN}]')
    expect({ status, message, errors }).toEqual({
      status: 400,
      message: 'The request has 4 errors. "errors" lists them.',
      errors: {
        '0.a': ['This number is too large.'],
        '0.b': ['NUL characters are not allowed.'],
        '2.a': ['NaN is not a number in JSON.', 'This key is given more than once.'],
      },
    })
  })

  test('malformed JSON is told alone', () => {
    expect(sentenceOf('[1e999,}')).toBe('The body is not valid JSON at line 1, column 8: expected a value, found "}".')
  })

  test('a thousand are enough', () => {
    expect(Object.keys(errorsOf(`[${Array(1500).fill('1e999')}]`) ?? {})).toHaveLength(1000)
  })

  test('long keys are cut, so that the answer stays small', () => {
    const key = 'k'.repeat(100_000)
    expect(errorsOf(`{"${key}":1e999}`)).toEqual({ [`${'k'.repeat(50)}...`]: ['This number is too large.'] })
    const deep = `${`{"${key.slice(0, 60)}":`.repeat(60)}1e999${'}'.repeat(60)}`
    expect(Object.keys(errorsOf(deep) ?? {}).map(path => path.length)).toEqual([300])
  })
})

describe('for any body', () => {
  test.each(Object.entries(jsonBodyProperties))('%s', (_rule, property) => {
    fc.assert<unknown[]>(property as fc.IProperty<unknown[]>, { numRuns: cases(1000) })
  })
})
