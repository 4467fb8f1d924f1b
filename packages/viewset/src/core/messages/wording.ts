import { BoundedCache } from '../bounded-cache.ts'
import { ConfigError } from '../config-error.ts'
import { english } from './english.ts'
import { french } from './french.ts'
import { german } from './german.ts'
import { japanese } from './japanese.ts'
import type { Language, Texts, Translation } from './message.ts'
import { spanish } from './spanish.ts'

/** How an answer words its errors. */
export interface Wording {
  readonly language: Language
  /** Whether other clients get another language. */
  readonly varies: boolean
  readonly errorCodes: boolean
}

/** Texts by the tag of their language (BCP 47), which replace those of the catalogue or add to them. */
export type MessageTexts = Readonly<Record<string, Texts>>

/** Options of an API about its texts. */
export interface WordingOptions {
  /**
   * The languages of messages, by their tags (BCP 47); the first is for clients that ask for none of them. Default:
   * `['en', 'de', 'es', 'fr', 'ja']`. `['en']` answers all clients in English.
   */
  readonly languages?: readonly string[]
  /** Texts of the application: they replace those of the catalogue, or translate them into a further language. */
  readonly messages?: MessageTexts
  /** Whether an answer with `errors` has their stable `codes`, in the same shape. Default false. */
  readonly errorCodes?: boolean
}

const BUILT_IN: ReadonlyMap<string, Translation> = new Map([
  ['en', english],
  ['de', german],
  ['es', spanish],
  ['fr', french],
  ['ja', japanese],
])

/** The text of a message without parameters in each language of the catalogue. */
export function textsOf(name: TextName): readonly string[] {
  return [...BUILT_IN.values()].map(texts => texts[name])
}

/** The messages that have no parameters. */
type TextName = { [K in keyof Translation]: Translation[K] extends string ? K : never }[keyof Translation]

/** Values of `Accept-Language` that clients send differ little. */
const MOST_HEADERS = 100
const LONGEST_HEADER = 1_000

/** Chooses the language of each answer by `Accept-Language` (RFC 9110, 12.5.4). */
export class Wordings {
  readonly #wordings: readonly [Wording, ...Wording[]]
  readonly #known = new BoundedCache<string, Wording>(MOST_HEADERS)

  /** @throws ConfigError for a tag that is none, a language without texts, and an unknown message */
  constructor({ languages, messages = {}, errorCodes = false }: WordingOptions = {}) {
    const given = new Map(Object.entries(messages).map(([tag, texts]) => [canonical('messages', tag), texts]))
    const tags = languages?.map(tag => canonical('languages', tag)) ?? [
      ...new Set([...BUILT_IN.keys(), ...given.keys()]),
    ]
    const varies = tags.length > 1
    const [first, ...others] = tags.map(tag => ({ language: languageOf(tag, given), varies, errorCodes }))
    if (!first) throw new ConfigError('api', 'languages', "is empty; name at least one language, such as ['en']")
    this.#wordings = [first, ...others]
  }

  /** The wording for a value of `Accept-Language`. */
  of(accepted: string | readonly string[] | undefined): Wording {
    const [first, ...others] = this.#wordings
    if (accepted === undefined || others.length === 0) return first
    const header = String(accepted).slice(0, LONGEST_HEADER)
    return this.#known.get(header, () => this.#choose(header))
  }

  /** The wording for a language that {@link of} has chosen before. */
  inTag(tag: string | undefined): Wording {
    return this.#wordings.find(({ language }) => language.tag === tag) ?? this.#wordings[0]
  }

  /** The first wanted range that matches a tag wins ("Lookup", RFC 4647, 3.4). */
  #choose(header: string): Wording {
    for (const range of rangesOf(header)) {
      if (range === '*') break
      const found = this.#wordings.find(({ language }) => matches(language.tag.toLowerCase(), range))
      if (found) return found
    }
    return this.#wordings[0]
  }
}

/** `de-AT` gets `de`, and `pt` gets `pt-BR`. */
function matches(tag: string, range: string): boolean {
  return tag === range || range.startsWith(`${tag}-`) || tag.startsWith(`${range}-`)
}

/** The language ranges of the header in lower case, the most wanted first. */
function rangesOf(header: string): readonly string[] {
  return header
    .toLowerCase()
    .split(',')
    .map(part => {
      const [range = '', ...parameters] = part.split(';').map(piece => piece.trim())
      const weight = parameters.find(parameter => parameter.startsWith('q='))?.slice(2)
      return { range, weight: weight === undefined ? 1 : Number(weight) }
    })
    .filter(({ range, weight }) => range !== '' && weight > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ range }) => range)
}

function canonical(option: string, tag: string): string {
  try {
    const [known] = Intl.getCanonicalLocales(tag)
    if (known !== undefined) return known
  } catch {
    // Not a tag: refused below.
  }
  throw new ConfigError('api', option, `"${tag}" is not a language tag; write one such as "de" or "pt-BR"`)
}

function languageOf(tag: string, given: ReadonlyMap<string, Texts>): Language {
  const own = given.get(tag)
  const builtIn = BUILT_IN.get(tag) ?? BUILT_IN.get(new Intl.Locale(tag).language)
  if (!own && !builtIn) {
    throw new ConfigError(
      'api',
      'languages',
      `there are no texts in "${tag}"; give them: messages: { ${quoted(tag)}: { ... } }`,
    )
  }
  return { tag, texts: { ...builtIn, ...own } }
}

function quoted(tag: string): string {
  return tag.includes('-') ? `'${tag}'` : tag
}
