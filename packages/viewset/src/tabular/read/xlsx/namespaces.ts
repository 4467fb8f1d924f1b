import { decoded } from './xml-text.ts'

/** What a prefix stood for outside of an element. */
interface Outer {
  /** How deep the element is. */
  readonly depth: number
  readonly prefix: string
  readonly namespace: string | undefined
}

/** Which namespaces the prefixes of an XML document stand for; the prefix `''` is the default namespace. */
export class Namespaces {
  readonly #bound = new Map<string, string>()
  readonly #outer: Outer[] = []

  /** The namespace of a prefix; `undefined` for a prefix without a declaration, and for elements without a namespace. */
  of(prefix: string): string | undefined {
    return this.#bound.get(prefix)
  }

  /** Binds the prefixes that a tag declares. @param depth how deep its element is */
  enter(tag: string, depth: number): void {
    if (!tag.includes('xmlns')) return
    for (const [, prefix = '', value = ''] of tag.matchAll(DECLARATION)) {
      this.#outer.push({ depth, prefix, namespace: this.#bound.get(prefix) })
      this.#bind(prefix, decoded(value.slice(1, -1)))
    }
  }

  /** Gives prefixes back what they stood for before the element at `depth`. */
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
