import { BoundedCache } from '../bounded-cache.ts'
import { ConfigError } from '../config-error.ts'
import { weightedRanges } from '../headers/weighted-ranges.ts'
import { isMistyped } from '../suggestion.ts'
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

/** The headers that name the language of an answer, so that no cache gives it to other clients (RFC 9110, 12.5.5). */
export function languageHeaders({ language, varies }: Pick<Wording, 'language' | 'varies'>): Record<string, string> {
  return { 'content-language': language.tag, ...(varies && { vary: 'Accept-Language' }) }
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

/** A plain text of the catalogue in all languages of Viewset. */
export function inBuiltInLanguages(name: keyof Translation): ReadonlySet<string> {
  const texts = [...BUILT_IN.values()].map(texts => texts[name])
  return new Set(texts.filter(text => typeof text === 'string'))
}

/** Values of `Accept-Language` that clients send differ little. */
const MOST_HEADERS = 100
const LONGEST_HEADER = 1_000

/** Chooses the language of each answer by `Accept-Language` (RFC 9110, 12.5.4). */
export class Wordings {
  readonly #wordings: readonly [Wording, ...Wording[]]
  readonly #known = new BoundedCache<string, Wording>(MOST_HEADERS)

  /** @throws ConfigError for a wrong tag, a language without texts, and a text that is none */
  constructor({ languages, messages = {}, errorCodes = false }: WordingOptions = {}) {
    const given = new Map(Object.entries(messages).map(([tag, texts]) => [canonical('messages', tag), texts]))
    for (const [tag, texts] of given) checkTexts(tag, texts)
    const tags = languages?.map(tag => canonical('languages', tag)) ?? [
      ...new Set([...BUILT_IN.keys(), ...given.keys()]),
    ]
    for (const tag of given.keys()) checkUsed(tag, tags)
    const varies = tags.length > 1
    const inEnglish: Texts = { ...english, ...given.get('en') }
    const texts = tags.map(tag => textsOf(tag, inEnglish, given))
    const [first, ...others] = tags.map((tag, at) => ({
      language: { tag, texts: texts[at] ?? inEnglish, english: inEnglish, all: texts },
      varies,
      errorCodes,
    }))
    if (!first) throw new ConfigError('api', 'languages', "is empty; name at least one language, such as ['en']")
    this.#wordings = [first, ...others]
  }

  /** The wording for a value of `Accept-Language`, such as the language that a job keeps of its request. */
  of(accepted: string | readonly string[] | undefined): Wording {
    const [first, ...others] = this.#wordings
    if (accepted === undefined || others.length === 0) return first
    const header = String(accepted).slice(0, LONGEST_HEADER)
    return this.#known.get(header, () => this.#choose(header))
  }

  #choose(header: string): Wording {
    const { wanted, refused } = rangesOf(header)
    for (const range of wanted) {
      const found = range === '*' ? this.#wordings.find(({ language }) => !isIn(refused, language)) : this.#best(range)
      if (found) return found
    }
    return this.#wordings[0]
  }

  /** The tag itself, else the longest tag that the range begins with, else a longer tag (RFC 4647, 3.4). */
  #best(range: string): Wording | undefined {
    const tagOf = ({ language }: Wording) => language.tag.toLowerCase()
    const shorter = this.#wordings
      .filter(wording => range === tagOf(wording) || range.startsWith(`${tagOf(wording)}-`))
      .toSorted((a, b) => tagOf(b).length - tagOf(a).length)
    return shorter[0] ?? this.#wordings.find(wording => tagOf(wording).startsWith(`${range}-`))
  }
}

function isIn(refused: readonly string[], { tag }: Language): boolean {
  return refused.includes(tag.toLowerCase())
}

/** The language ranges of the header, the most wanted first, and those that the client refuses. */
function rangesOf(header: string): { readonly wanted: readonly string[]; readonly refused: readonly string[] } {
  const ranges = weightedRanges(header)
  const wanted = ranges.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight)
  return {
    wanted: wanted.map(({ range }) => range),
    refused: ranges.filter(({ weight }) => weight === 0).map(({ range }) => range),
  }
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

/** The texts of a language: its own, those of its base language, and English ones. */
function textsOf(tag: string, inEnglish: Texts, given: ReadonlyMap<string, Texts>): Texts {
  const { language: base } = new Intl.Locale(tag)
  const own = given.get(tag)
  const ofBase = given.get(base)
  const builtIn = BUILT_IN.get(base)
  if (!own && !ofBase && !builtIn) {
    const remedy = `give them: messages: { ${quoted(tag)}: { ... } }`
    throw new ConfigError('api', 'languages', `there are no texts in "${tag}"; ${remedy}`)
  }
  return { ...inEnglish, ...builtIn, ...ofBase, ...own }
}

/** Texts are of a language, or of its base language. English ones are also for logs. */
function checkUsed(tag: string, tags: readonly string[]): void {
  if (tag === 'en' || tags.some(used => used === tag || new Intl.Locale(used).language === tag)) return
  throw new ConfigError('api', 'messages', `no language of the API has the texts in "${tag}"; add it to languages`)
}

/** A name may be the application's own, so only one that resembles a known name is refused. */
function checkTexts(tag: string, texts: unknown): void {
  if (typeof texts !== 'object' || texts === null || Array.isArray(texts)) {
    throw new ConfigError('api', 'messages', `the texts in "${tag}" must be an object, as in { required: '...' }`)
  }
  for (const [name, text] of Object.entries(texts)) {
    if (typeof text !== 'string' && typeof text !== 'function') {
      throw new ConfigError('api', 'messages', `"${name}" in "${tag}" must be a text or a function that returns one`)
    }
    const [placeholder, param] = (typeof text === 'string' && PLACEHOLDER.exec(text)) || []
    if (placeholder !== undefined) {
      const remedy = `write a function: ({ ${param} }) => \`... \${${param}} ...\``
      const problem = `has "${placeholder}", which is sent as it is; ${remedy}`
      throw new ConfigError('api', 'messages', `"${name}" in "${tag}" ${problem}`)
    }
    const meant = Object.hasOwn(english, name) ? undefined : Object.keys(english).find(known => isMistyped(name, known))
    if (meant !== undefined) {
      throw new ConfigError('api', 'messages', `"${name}" in "${tag}" is no message; did you mean "${meant}"?`)
    }
  }
}

/** Other libraries put a parameter there. */
const PLACEHOLDER = /\{\s*(\w+)\s*\}/

function quoted(tag: string): string {
  return tag.includes('-') ? `'${tag}'` : tag
}
