import { type Message, message } from '../core/messages/message.ts'
import { nearest } from '../core/suggestion.ts'

/** A condition of a filter expression: a filter and its value, or several conditions together. */
export type FilterExpression =
  | { readonly kind: 'filter'; readonly name: string; readonly value: string }
  | { readonly kind: 'and' | 'or' | 'not'; readonly parts: readonly FilterExpression[] }

/** An expression that cannot be read. */
export class ExpressionFault {
  readonly text: Message

  constructor(text: Message) {
    this.text = text
  }
}

const MOST_LEVELS = 3
const MOST_CONDITIONS = 50

/**
 * Reads a list of conditions in brackets, of which one must hold. Each is a filter with its value, or `and(...)`,
 * `or(...)` or `not(...)` around further ones. A value with commas, brackets or quotes stands in double quotes, in which
 * `\` comes before a quote or another `\`. Blanks around conditions, names and values have no meaning.
 *
 * @example
 * readExpression('(rating__gte=4,and(kind=x,name="a,b"))')
 */
export function readExpression(text: string): FilterExpression | ExpressionFault {
  const reader = new Reader(text)
  try {
    return { kind: 'or', parts: reader.wholeList() }
  } catch (error) {
    if (error instanceof Unreadable) return new ExpressionFault(error.text)
    throw error
  }
}

class Unreadable extends Error {
  readonly text: Message

  constructor(text: Message) {
    super(String(text))
    this.text = text
  }
}

class Reader {
  readonly #text: string
  #at = 0
  #conditions = 0

  constructor(text: string) {
    this.#text = text
  }

  wholeList(): readonly FilterExpression[] {
    const parts = this.#list(1)
    this.#blanks()
    if (this.#at < this.#text.length) this.#refuse()
    return parts
  }

  #list(level: number): readonly FilterExpression[] {
    if (level > MOST_LEVELS) throw new Unreadable(message('invalid_expression.depth', { max: MOST_LEVELS }))
    this.#blanks()
    this.#take('(')
    const parts = [this.#condition(level)]
    this.#blanks()
    while (this.#text[this.#at] === ',') {
      this.#at++
      parts.push(this.#condition(level))
      this.#blanks()
    }
    this.#take(')')
    return parts
  }

  #condition(level: number): FilterExpression {
    if (++this.#conditions > MOST_CONDITIONS) {
      throw new Unreadable(message('invalid_expression.size', { max: MOST_CONDITIONS }))
    }
    const name = this.#matched(/[^=(),"]+/y).trim()
    if (name === '') this.#refuse()
    if (this.#text[this.#at] === '(' && isOperator(name)) {
      const start = this.#at
      const parts = this.#list(level + 1)
      if (name === 'not' && parts.length > 1) this.#refuse(start)
      return { kind: name, parts }
    }
    this.#take('=')
    return { kind: 'filter', name, value: this.#value() }
  }

  #value(): string {
    this.#blanks()
    if (this.#text[this.#at] !== '"') return this.#matched(/[^(),"]*/y).trimEnd()
    const quoted = this.#matched(/"(?:[^"\\]|\\.)*"/sy)
    if (quoted === '') this.#refuse()
    return quoted.slice(1, -1).replace(/\\(.)/gs, '$1')
  }

  #blanks(): void {
    this.#matched(/\s+/y)
  }

  #matched(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  #take(sign: string): void {
    if (this.#text[this.#at] !== sign) this.#refuse()
    this.#at++
  }

  #refuse(at = this.#at): never {
    throw new Unreadable(message('invalid_expression', { at: at + 1 }))
  }
}

function isOperator(name: string): name is 'and' | 'or' | 'not' {
  return name === 'and' || name === 'or' || name === 'not'
}

/** The message for a filter that the resource does not have. */
export function unknownFilter(name: string, known: readonly string[]): Message {
  const meant = nearest(name.slice(0, 60), known)
  const hint =
    meant === undefined
      ? message('hint.known', { names: known.slice(0, 8), more: Math.max(0, known.length - 8) })
      : message('hint.did_you_mean', { name: meant })
  return message('unknown_parameter', { name: name.slice(0, 60), hint })
}
