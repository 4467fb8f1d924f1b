import { type Message, message } from './messages/message.ts'

/**
 * A name in ASCII letters and digits: `created_by` -> `CreatedBy`, `größen_tabelle` -> `GroEnTabelle`.
 *
 * @returns the empty text if there is no such letter or digit
 */
export function pascalCase(text: string): string {
  const words = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .split(/[^A-Za-z0-9]+/)
  return words.map(word => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

const LONGEST_VALUE = 50

/** A value of a client in a message: as JSON, shortened. */
export function shownValue(value: unknown): string {
  const text = JSON.stringify(typeof value === 'bigint' ? String(value) : value) ?? String(value)
  if (text.length <= LONGEST_VALUE + 2) return text
  const start = text.slice(0, LONGEST_VALUE).toWellFormed()
  return text.startsWith('"') ? `${start}..."` : `${start}...`
}

const LONGEST_NAME = 100

/** A name of a client in a message, shortened. */
export function shorten(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME).toWellFormed()}…` : name
}

const MEGABYTE = 1024 ** 2

export function sizeText(bytes: number): Message {
  return bytes >= MEGABYTE
    ? message('size.megabytes', { size: Number((bytes / MEGABYTE).toFixed(1)) })
    : message('size.bytes', { size: bytes })
}

/**
 * Lower case, letter by letter. Σ has two small letters, and İ has two characters in JavaScript's `toLowerCase`: here each
 * has one.
 *
 * @example
 * foldCase('ΟΔΟΣ') // 'οδοσ'
 * foldCase('Οδος') // 'οδοσ'
 */
export function foldCase(text: string): string {
  return text.replaceAll('Σ', 'σ').replaceAll('ς', 'σ').replaceAll('İ', 'i').toLowerCase()
}

/**
 * A text for addresses: lower-case letters of any script without accents, digits, and hyphens between the words.
 *
 * @example
 * slugOf('Crème brûlée, again!', 50) // 'creme-brulee-again'
 */
export function slugOf(text: string, length: number): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
  const words = plain.match(/[\p{L}\p{N}]+/gu) ?? []
  const slug = [...words.join('-')].slice(0, length).join('')
  return slug.replace(/-$/, '')
}
