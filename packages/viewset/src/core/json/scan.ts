import { NON_FIELD_ERRORS, ValidationError } from '../errors.ts'
import { isSame, type Message, type MessageName, message, type Text } from '../messages/message.ts'

/** Keeps the response small. */
const MAX_ERRORS = 1000
const MAX_PATH = 300
const MAX_SHOWN = 50

/**
 * Reads JSON exactly and throws its errors: the first error of syntax or depth, or else the errors of all values.
 * Slower than `JSON.parse`, so it runs only if the text looks unusual or is known to be wrong.
 *
 * @throws ValidationError
 */
export function scan(text: string, maxDepth: number): void {
  new Scanner(text, maxDepth).run()
}

const BLANKS = /[ \t\n\r]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?/iy
const CONSTANT = /(?:true|false|null)(?![\w$])/y
const NO_JSON_NUMBER = /-?(?:NaN|Infinity)(?![\w$])/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y
const WORD = /[\w$.+-]{1,30}|./suy

const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c

class Scanner {
  readonly #text: string
  readonly #maxDepth: number
  readonly #path: (string | number)[] = []
  readonly #errors = new Map<string, Text[]>()
  #count = 0
  #at = 0

  constructor(text: string, maxDepth: number) {
    this.#text = text
    this.#maxDepth = maxDepth
  }

  run(): void {
    this.#skip(BLANKS)
    if (this.#at === this.#text.length) throw new ValidationError(message('malformed.empty'))
    this.#value()
    if (this.#at < this.#text.length) this.#fail('json.end')
    if (this.#count > 0) this.#refuse()
  }

  #value(): void {
    this.#skip(BLANKS)
    const start = this.#at
    const first = this.#text[start]
    if (first === '{') this.#object()
    else if (first === '[') this.#array()
    else if (first === '"') this.#report(textProblem(this.#string()))
    else if (this.#skip(NUMBER)) this.#report(numberProblem(this.#text.slice(start, this.#at)))
    else if (this.#skip(NO_JSON_NUMBER))
      this.#report(message('malformed.number', { number: this.#text.slice(start, this.#at) }))
    else if (!this.#skip(CONSTANT)) this.#fail('json.value')
    this.#skip(BLANKS)
  }

  #array(): void {
    this.#open()
    if (this.#take(']')) return
    const depth = this.#path.length
    for (let index = 0; ; index++) {
      this.#path[depth] = index
      this.#value()
      if (this.#take(',')) continue
      if (!this.#take(']')) this.#fail('json.comma_or_bracket')
      break
    }
    this.#path.length = depth
  }

  #object(): void {
    this.#open()
    if (this.#take('}')) return
    const keys = new Set<string>()
    do this.#member(keys)
    while (this.#take(','))
    if (!this.#take('}')) this.#fail('json.comma_or_brace')
  }

  #member(keys: Set<string>): void {
    this.#skip(BLANKS)
    const next = this.#text[this.#at]
    if (next !== '"') this.#fail(next === '}' && keys.size > 0 ? 'json.key_or_no_comma' : 'json.key')
    const source = this.#string()
    this.#skip(BLANKS)
    if (!this.#take(':')) this.#fail('json.colon')
    const key = decode(source)
    this.#checkKey(key, textProblem(source))
    this.#path.push(shorten(key))
    if (keys.has(key)) this.#report(message('malformed.repeated_key'))
    keys.add(key)
    this.#value()
    this.#path.pop()
  }

  #checkKey(key: string, problem: Message | undefined): void {
    if (problem) this.#report(message('malformed.key', { key: quote(key), problem }))
    const isWayToPrototype = key === '__proto__' || (key === 'prototype' && this.#path.at(-1) === 'constructor')
    if (!isWayToPrototype) return
    // This is an attack rather than a mistake, so only this key is reported.
    this.#report(message('malformed.forbidden_key', { key: quote(key) }))
    this.#refuse()
  }

  /** Each array and object around a value has one name in the path. */
  #open(): void {
    if (this.#path.length >= this.#maxDepth) {
      const place = placeIn(this.#text, this.#at)
      throw new ValidationError(message('malformed.too_deep', { levels: this.#maxDepth, place }))
    }
    this.#at++
    this.#skip(BLANKS)
  }

  #string(): string {
    const start = this.#at
    this.#at = this.#endOfText(start + 1)
    while (this.#text.charCodeAt(this.#at) === BACKSLASH) {
      if (!this.#skip(ESCAPE)) this.#fail('json.escape')
      this.#at = this.#endOfText(this.#at)
    }
    const end = this.#text.charCodeAt(this.#at)
    if (end < SPACE) this.#fail('json.escaped_control')
    if (end !== QUOTE) this.#fail('json.closing_quote')
    return this.#text.slice(start, ++this.#at)
  }

  #endOfText(from: number): number {
    const text = this.#text
    let at = from
    for (;;) {
      const code = text.charCodeAt(at)
      // NaN at the end of the body.
      if (!(code >= SPACE) || code === QUOTE || code === BACKSLASH) return at
      at++
    }
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false
    this.#at++
    return true
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    if (!pattern.test(this.#text)) return false
    this.#at = pattern.lastIndex
    return true
  }

  #report(problem: Message | undefined): void {
    if (problem === undefined) return
    // A shortened key may end between the halves of a surrogate pair.
    const path = this.#path.join('.').slice(0, MAX_PATH).toWellFormed() || NON_FIELD_ERRORS
    const known = this.#errors.get(path) ?? []
    if (!known.some(other => isSame(other, problem))) this.#errors.set(path, [...known, problem])
    if (++this.#count >= MAX_ERRORS) this.#refuse()
  }

  #refuse(): never {
    throw new ValidationError(Object.fromEntries(this.#errors))
  }

  #fail(part: JsonPart): never {
    WORD.lastIndex = this.#at
    const found = WORD.exec(this.#text)?.[0]
    const place = placeIn(this.#text, this.#at)
    throw new ValidationError(
      message('malformed.json_at', {
        place,
        expected: message(part),
        found: found ? JSON.stringify(found) : undefined,
      }),
    )
  }
}

function decode(source: string): string {
  return source.includes('\\') ? JSON.parse(source) : source.slice(1, -1)
}

/** The problem of a string, in DRF's words. The body is valid UTF-8, so only an escape can be wrong. */
function textProblem(source: string): Message | undefined {
  if (!source.includes('\\')) return undefined
  const text = decode(source)
  if (text.includes('\0')) return message('malformed.nul')
  if (text.isWellFormed()) return undefined
  const [surrogate = ''] = /\p{Surrogate}/u.exec(text) ?? []
  return message('malformed.surrogate', { character: `U+${surrogate.charCodeAt(0).toString(16).toUpperCase()}` })
}

function shorten(key: string): string {
  return key.length > MAX_SHOWN ? `${key.slice(0, MAX_SHOWN)}...` : key
}

function quote(key: string): string {
  return JSON.stringify(shorten(key))
}

/** The part of JSON that the scanner expects. */
type JsonPart = Extract<MessageName, `json.${string}`>

export function placeIn(text: string, at: number): Message {
  const before = text.slice(0, at)
  return message('malformed.place', { line: before.split('\n').length, column: at - before.lastIndexOf('\n') })
}

/** A double keeps every decimal of 15 digits, unless it is very near 0. */
const KEPT_DIGITS = 15
const NEXT_TO_NOTHING = 1e-290

/**
 * The reason why JavaScript cannot hold a number exactly; `undefined` if the shortest decimal of the double is the same
 * number. So `0.1` and `1.50` pass.
 */
function numberProblem(source: string): Message | undefined {
  const value = Number(source)
  // With a fraction or an exponent it is a float: 6.02e23 is one.
  if (!/[.eE]/.test(source)) {
    return Number.isSafeInteger(value) ? undefined : message('malformed.inexact_integer')
  }
  if (!Number.isFinite(value)) return message('malformed.huge_number')
  if (keepsDigits(source, value) || isSameDecimal(source, String(value))) return undefined
  return message('malformed.inexact_number', { value: String(value) })
}

/** A quick check; `false` means unknown. */
function keepsDigits(source: string, value: number): boolean {
  const exponent = source.search(/e/i)
  return (exponent === -1 ? source.length : exponent) <= KEPT_DIGITS && Math.abs(value) > NEXT_TO_NOTHING
}

export function isExactNumber(source: string): boolean {
  const value = Number(source)
  return Number.isFinite(value) && (keepsDigits(source, value) || isSameDecimal(source, String(value)))
}

export function isPlainDecimal(text: string): boolean {
  return /^-?\d+(\.\d+)?$/.test(text)
}

function isSameDecimal(a: string, b: string): boolean {
  const one = decimalOf(a)
  const other = decimalOf(b)
  return one.digits === other.digits && (one.digits === '' || one.exponent === other.exponent)
}

/** The digits without zeros at either end (none for zero itself), and the exponent of the last one. */
function decimalOf(source: string): { digits: string; exponent: number } {
  const [mantissa = '', power = '0'] = source.replace(/^-/, '').split(/e/i)
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = whole + fraction
  // Loops, because /0+$/ takes quadratic time on a megabyte of zeros.
  let start = 0
  while (digits[start] === '0') start++
  let end = digits.length
  while (end > start && digits[end - 1] === '0') end--
  return { digits: digits.slice(start, end), exponent: Number(power) - fraction.length + digits.length - end }
}
