import { message } from '../../../core/messages/message.ts'
import { TabularError } from '../../errors.ts'
import { damaged } from './zip.ts'

/**
 * Receives the elements of an XML document by names without prefix. Elements outside of the root's namespace, and
 * extensions (`extLst`), are skipped with their contents.
 */
export interface XmlHandler {
  /** @param tag the text between `<` and `>`, for {@link attribute} */
  open(name: string, tag: string, namespaces: Namespaces): void
  close(name: string): void
  /** Text between tags, if it is wanted. @param isRaw otherwise pass it to {@link decoded} */
  text?(text: string, isRaw: boolean): void
  readonly wantsText: boolean
  readonly isDone?: boolean
}

/**
 * Scans the XML of workbooks in chunks: elements, attributes, text, CDATA, the five entities and character references.
 * Rejects document types, which can expand or read other files.
 */
export class XmlScanner {
  readonly #handler: XmlHandler
  readonly #longest: number
  #rest = ''
  #depth = 0
  #hasRoot = false
  readonly #namespaces = new Namespaces()
  #rootNamespace: string | undefined
  #passedOver = 0

  constructor(handler: XmlHandler, longest: number) {
    this.#handler = handler
    this.#longest = longest
  }

  write(chunk: string): void {
    const document = this.#rest + chunk
    let at = 0
    for (;;) {
      const start = document.indexOf('<', at)
      if (start === -1) break
      if (start > at && this.#wantsText) this.#handler.text?.(document.slice(at, start), false)
      at = start
      const end = this.#markup(document, start)
      if (end === -1) break
      at = end
    }
    this.#rest = document.slice(at)
    if (this.#rest.length > this.#longest) {
      throw new TabularError('too_large', message('too_large.text', { max: this.#longest }))
    }
  }

  /** @throws TabularError `unreadable` for an incomplete document */
  end(): void {
    if (this.#depth !== 0 || !this.#hasRoot || this.#rest.trim() !== '') throw damaged()
  }

  /** Processes the markup at `start` and returns its end; -1 if it is incomplete. */
  #markup(document: string, start: number): number {
    switch (document.charCodeAt(start + 1)) {
      case SLASH: {
        const end = document.indexOf('>', start)
        if (end === -1) return -1
        this.#close(nameOf(document, start + 2, end))
        return end + 1
      }
      case QUESTION:
        return after(document, '?>', start)
      case EXCLAMATION:
        return this.#declaration(document, start)
      default: {
        const end = tagEnd(document, start + 1)
        if (end === -1) return -1
        const name = nameOf(document, start + 1, end)
        this.#open(name, document.slice(start + 1, end))
        if (document.charCodeAt(end - 1) === SLASH) this.#close(name)
        return end + 1
      }
    }
  }

  get #wantsText(): boolean {
    return this.#passedOver === 0 && this.#handler.wantsText
  }

  #open(name: string, tag: string): void {
    const depth = ++this.#depth
    if (this.#passedOver !== 0) return
    this.#namespaces.enter(tag, depth)
    const namespace = this.#namespaces.of(prefixOf(tag))
    if (!this.#hasRoot) this.#rootNamespace = namespace
    this.#hasRoot = true
    if (namespace === this.#rootNamespace && name !== 'extLst') this.#handler.open(name, tag, this.#namespaces)
    else this.#passedOver = depth
  }

  #close(name: string): void {
    const depth = this.#depth--
    if (depth === 0) throw damaged()
    if (this.#passedOver === 0) this.#handler.close(name)
    else if (this.#passedOver !== depth) return
    this.#passedOver = 0
    this.#namespaces.leave(depth)
  }

  #declaration(document: string, start: number): number {
    if (document.startsWith('<!--', start)) return after(document, '-->', start + 4)
    if (document.startsWith('<![CDATA[', start)) {
      const end = document.indexOf(']]>', start)
      if (end === -1) return -1
      if (this.#wantsText) this.#handler.text?.(document.slice(start + 9, end), true)
      return end + 3
    }
    if (document.length - start < 9) return -1
    return documentTypeRefused()
  }
}

export function documentTypeRefused(): never {
  throw new TabularError('unreadable', message('unreadable.doctype'))
}

const SLASH = 0x2f
const QUESTION = 0x3f
const EXCLAMATION = 0x21
const GREATER = 0x3e
const COLON = 0x3a
const SPACE = 0x20
const QUOTE = 0x22
const APOSTROPHE = 0x27

function after(document: string, mark: string, from: number): number {
  const at = document.indexOf(mark, from)
  return at === -1 ? -1 : at + mark.length
}

function tagEnd(document: string, from: number): number {
  let quote = 0
  for (let at = from; at < document.length; at++) {
    const code = document.charCodeAt(at)
    if (quote !== 0) {
      if (code === quote) quote = 0
    } else if (code === GREATER) return at
    else if (code === QUOTE || code === APOSTROPHE) quote = code
  }
  return -1
}

function nameOf(document: string, from: number, end: number): string {
  let start = from
  let at = from
  for (; at < end; at++) {
    const code = document.charCodeAt(at)
    if (code <= SPACE || code === SLASH) break
    if (code === COLON) start = at + 1
  }
  return document.slice(start, at)
}

function prefixOf(tag: string): string {
  for (let at = 0; at < tag.length; at++) {
    const code = tag.charCodeAt(at)
    if (code === COLON) return tag.slice(0, at)
    if (code <= SPACE || code === SLASH) break
  }
  return ''
}

export function attribute(tag: string, name: string): string | undefined {
  for (let at = tag.indexOf(name); at !== -1; at = tag.indexOf(name, at + 1)) {
    if (tag.charCodeAt(at - 1) > SPACE) continue
    let start = at + name.length
    while (tag.charCodeAt(start) <= SPACE) start++
    if (tag[start++] !== '=') continue
    while (tag.charCodeAt(start) <= SPACE) start++
    const quote = tag[start++]!
    const end = tag.indexOf(quote, start)
    return end === -1 ? undefined : decoded(tag.slice(start, end))
  }
}

const ENTITIES = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }))

/**
 * Replaces entities and normalizes line ends.
 *
 * @throws TabularError `unreadable` for an entity that XML does not predefine
 */
export function decoded(text: string): string {
  const lines = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text
  if (!lines.includes('&')) return lines
  return lines.replace(/&(?:#x([0-9A-Fa-f]+)|#(\d+)|(\w*));?/g, (_, hexadecimal, decimal, name) => {
    if (name !== undefined) return ENTITIES.get(name) ?? unknownEntity()
    const code = hexadecimal ? Number.parseInt(hexadecimal, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : unknownEntity()
  })
}

function unknownEntity(): never {
  throw new TabularError('unreadable', message('unreadable.entity'))
}

/** Text of a cell: `_x000D_` stands for a character that XML cannot contain. */
export function cellText(text: string): string {
  if (!text.includes('_x')) return text
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
}

interface Outer {
  readonly depth: number
  readonly prefix: string
  readonly namespace: string | undefined
}

/** The prefix `''` is the default namespace. */
export class Namespaces {
  readonly #bound = new Map<string, string>()
  readonly #outer: Outer[] = []

  of(prefix: string): string | undefined {
    return this.#bound.get(prefix)
  }

  /** Declares a tag's prefixes. @param depth the nesting of its element */
  enter(tag: string, depth: number): void {
    if (!tag.includes('xmlns')) return
    for (const [, prefix = '', value = ''] of tag.matchAll(DECLARATION)) {
      this.#outer.push({ depth, prefix, namespace: this.#bound.get(prefix) })
      this.#bind(prefix, decoded(value.slice(1, -1)))
    }
  }

  leave(depth: number): void {
    for (let last = this.#outer.at(-1); last?.depth === depth; last = this.#outer.at(-1)) {
      this.#outer.pop()
      this.#bind(last.prefix, last.namespace)
    }
  }

  #bind(prefix: string, namespace: string | undefined): void {
    if (namespace) this.#bound.set(prefix, namespace)
    else this.#bound.delete(prefix)
  }
}

const DECLARATION = /\sxmlns(?::([^\s=]+))?\s*=\s*("[^"]*"|'[^']*')/g
