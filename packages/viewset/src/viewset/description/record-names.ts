import { pluralize, singularize } from 'inflection'
import { withArticle } from '../../core/messages/joined.ts'
import type { HttpMethod } from '../http-method.ts'

/** What the description of an API calls the records of a resource. */
export interface RecordNames {
  /** The noun, such as `city`. */
  readonly noun: string
  /** One of them, such as `a city`; below another resource, `a city of a country`. */
  readonly one: string
  /** Several of them, such as `cities`; below another resource, `cities of a country`. */
  readonly many: string
}

/** The settings of a resource that name its records. */
export interface NameSettings {
  readonly verboseName?: string
  readonly verboseNamePlural?: string
}

/** The names of the records of a resource: by its settings, or else by its path (`order-items` -> `an order item`). */
export function recordNames(path: string, { verboseName, verboseNamePlural }: NameSettings = {}): RecordNames {
  const parts = path.split('/')
  const words = wordsOf(parts.at(-1) ?? '')
  const noun = verboseName ?? singularize(verboseNamePlural ?? words)
  const plural = verboseNamePlural ?? pluralize(noun)
  const [parent, key] = parts.slice(-3, -1)
  const place = parent && key?.startsWith(':') ? ` of ${withArticle(singularize(wordsOf(parent)))}` : ''
  return { noun, one: withArticle(noun) + place, many: plural + place }
}

function wordsOf(text: string): string {
  const words = text.replace(/[-_]+/g, ' ').trim()
  return words || 'record'
}

/** The words of an action's name: `markAsRead` and `mark_as_read` -> `mark as read`. */
function wordsOfAction(action: string): readonly string[] {
  return action
    .replace(/[-_]+/g, ' ')
    .replace(/(?<=[a-z0-9])[A-Z]/g, letter => ` ${letter}`)
    .toLowerCase()
    .trim()
    .split(/ +/)
}

/** After these words, the object of the verb has come already: "mark an article as read". */
const PARTICLES = new Set([
  'as',
  'at',
  'by',
  'down',
  'for',
  'from',
  'in',
  'into',
  'off',
  'on',
  'out',
  'to',
  'up',
  'with',
])

interface NamedAction {
  readonly action: string
  readonly method: HttpMethod
  /** Whether it is about one record. */
  readonly detail: boolean
}

/**
 * The summary of an action that has none: `publish` -> `Publish an article`, `markAsRead` -> `Mark an article as read`,
 * the GET `history` -> `History of an article`.
 */
export function summaryOfAction({ action, method, detail }: NamedAction, { noun, one, many }: RecordNames): string {
  const [verb = '', ...others] = wordsOfAction(action)
  const object = detail ? one : many
  const rest = others.length > 0 ? ` ${others.join(' ')}` : ''
  if (rest.includes(noun)) return sentence(verb + rest)
  if (PARTICLES.has(others[0] ?? '')) return sentence(`${verb} ${object}${rest}`)
  if (method === 'GET') return sentence(`${verb}${rest} of ${object}`)
  return sentence(others.length > 0 ? `${verb}${rest} for ${object}` : `${verb} ${object}`)
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
