import { BoundedCache } from '../bounded-cache.ts'
import { english } from './english.ts'

type EnglishTexts = typeof english

/**
 * Messages of the application. Add names and their parameters by declaration merging, and their texts by the option
 * `messages` of the API.
 *
 * @example
 * declare module 'viewset' {
 *   interface AppMessages {
 *     closed_month: { month: string }
 *   }
 * }
 */
// biome-ignore lint/suspicious/noEmptyInterface: applications add members to it
export interface AppMessages {}

/** The name of a message. Its part before the first point is the error's code. */
export type MessageName = keyof EnglishTexts | keyof AppMessages

type ParamsOf<K extends MessageName> = K extends keyof AppMessages
  ? AppMessages[K]
  : K extends keyof EnglishTexts
    ? EnglishTexts[K] extends (params: infer P) => string
      ? P
      : undefined
    : never

/** A text, or a message of the catalogue, which the answer shows in the client's language. */
export type Text = string | Message

/** The texts of a language by name. A text with parameters is a function. */
export type Texts = { readonly [K in MessageName]?: TextWith<ParamsOf<K>> }

type TextWith<P> = [P] extends [undefined] ? string : string | ((params: P) => string)

/** A translation without gaps. */
export type Translation = Required<Pick<Texts, keyof EnglishTexts>>

/** A language of an API. */
export interface Language {
  /** BCP 47. */
  readonly tag: string
  /** Its texts, and English ones for those that it lacks. */
  readonly texts: Texts
  /** The API's English texts, for logs. */
  readonly english: Texts
  /** The texts of each language of the API. */
  readonly all: readonly Texts[]
}

/**
 * A sentence of the catalogue with its parameters. As a text, it is in the language of the current request.
 *
 * @example
 * String(message('max_length', { max: 200 })) // 'Ensure this field has no more than 200 characters.'
 */
export class Message {
  readonly name: MessageName
  readonly params: unknown

  /** @internal Use {@link message}, which checks the parameters. */
  constructor(name: MessageName, params?: unknown) {
    this.name = name
    this.params = params
  }

  /** The stable code of the error, such as `max_length`. */
  get code(): string {
    return codeOf(this.name)
  }

  toString(): string {
    const { texts, english: fallback } = rendering ?? languageOfRequest()
    const text = textFrom(texts, this) ?? textFrom(fallback, this) ?? textFrom(english, this) ?? this.name
    remembered.set(text, this)
    return text
  }

  toJSON(): string {
    return this.toString()
  }
}

/**
 * A message of the catalogue, for an error whose text follows the client's language.
 *
 * @example
 * throw new ValidationError({ title: [message('max_length', { max: 80 })] })
 */
export function message<K extends MessageName>(
  name: K,
  ...params: ParamsOf<K> extends undefined ? [] : [params: ParamsOf<K>]
): Message {
  return new Message(name, params[0])
}

/** The code of an application's own text. */
const OTHER_CODE = 'invalid'

/** The stable code of an error; {@link OTHER_CODE} for a text of the application. */
export function errorCode(text: Text): string {
  return text instanceof Message ? text.code : OTHER_CODE
}

function codeOf(name: string): string {
  const point = name.indexOf('.')
  return point === -1 ? name : name.slice(0, point)
}

export const ENGLISH: Language = { tag: 'en', texts: english, english, all: [english] }

let languageOfRequest: () => Language = () => ENGLISH

/** Sets where messages find the language of the current request. */
export function setLanguageOfRequest(find: () => Language): void {
  languageOfRequest = find
}

/** Set while a text is made in another language than the request's. */
let rendering: Language | undefined

/** The English text of the API, for logs. */
export function inEnglish(text: Text): string {
  if (typeof text === 'string') return text
  const { english: texts } = languageOfRequest()
  return inLanguage({ ...ENGLISH, texts }, () => text.toString())
}

/** Makes texts in another language than the request's. `make` is synchronous. */
export function inLanguage<T>(language: Language, make: () => T): T {
  const before = rendering
  rendering = language
  try {
    return make()
  } finally {
    rendering = before
  }
}

/** Whether two texts say the same. */
export function isSame(a: Text, b: Text): boolean {
  return inEnglish(a) === inEnglish(b)
}

/** The text of a message; `undefined` if there is none, or if the application's function for it fails. */
function textFrom(texts: Texts, { name, params }: Message): string | undefined {
  const made: unknown = texts[name]
  if (typeof made !== 'function') return typeof made === 'string' ? made : undefined
  try {
    const text: unknown = made(params)
    if (typeof text === 'string') return text
    warnOf(name, `it returns ${typeof text}`)
  } catch (error) {
    warnOf(name, String(error))
  }
  return undefined
}

const warned = new Set<string>()

/** An error answer must not fail because of its text. */
function warnOf(name: string, problem: string): void {
  if (warned.has(name)) return
  warned.add(name)
  process.emitWarning(`The text of the message "${name}" cannot be made: ${problem}`)
}

/**
 * The messages of recent texts. Libraries such as Zod pass on texts only, so {@link fromText} finds the message of a text
 * again. Several messages may have the same text; the latest is the one that the library has just made.
 */
const remembered = new BoundedCache<string, Message>(1_000)

/** The message that has become this text; other texts as they are. */
export function fromText(text: string): Text {
  return remembered.peek(text) ?? text
}

/** A message as data for another thread; other texts as they are. Its parameters must be JSON. */
export type SentText = string | { readonly name: MessageName; readonly params: unknown }

export function sent(text: Text): SentText {
  return typeof text === 'string' ? text : { name: text.name, params: text.params }
}

export function received(text: SentText): Text {
  return typeof text === 'string' ? text : new Message(text.name, text.params)
}
