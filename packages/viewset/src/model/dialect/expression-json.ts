import { bigintJson } from '../../core/json/json-of.ts'
import type { ExpressionValue, JsonWriter } from './dialect.ts'

/** JSON numbers have no leading zeros. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i
const NOT_FINITE = /^(NaN|-?Infinity)$/

/** The valid JSON text of each kind. PostgreSQL also has years before Christ and beyond 9999, and `infinity`. */
const JSON_FORMS: Partial<Record<ExpressionValue['kind'], RegExp>> = {
  decimal: /^"(-?\d+(\.\d+)?(e[+-]\d+)?|NaN|-?Infinity)"$/,
  timestamp: /^"(\d{4,}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.Z+: BC-]*|-?infinity)"$/,
  date: /^"(\d{4,}-\d\d-\d\d( BC)?|-?infinity)"$/,
  time: /^"\d\d:\d\d:\d\d(\.\d+)?"$/,
  uuid: /^"[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}"$/i,
}

/**
 * Converts an expression's value (not null) to JSON text of the declared kind; `undefined` for a value of another type.
 * `write` is the dialect's writer.
 */
export function expressionJson({ kind }: ExpressionValue, write: JsonWriter): (raw: unknown) => string | undefined {
  switch (kind) {
    case 'integer':
      return raw => {
        const json = wholeNumber(raw)
        // An integer beyond 2^53 would be a string, which clients do not accept as an integer.
        return json?.startsWith('"') ? undefined : json
      }
    case 'bigint':
      return wholeNumber
    case 'float':
      return raw => {
        const text = textOf(raw)
        if (NUMBER.test(text)) return text
        return NOT_FINITE.test(text) ? `"${text}"` : undefined
      }
    case 'boolean':
      return truth
    case 'json':
      return raw =>
        attempt(() => {
          JSON.parse(textOf(raw))
          return write(raw)
        })
    default: {
      const form = JSON_FORMS[kind]
      return raw => {
        const json = attempt(() => write(raw))
        return json === undefined || !form || form.test(json) ? json : undefined
      }
    }
  }
}

/**
 * The value as the dialect's decoders take it. On SQLite they do not parse numbers from text. `json` is its JSON text.
 */
export function expressionDriverValue({ kind }: ExpressionValue, raw: unknown, json: string): unknown {
  if (typeof raw !== 'string') return raw
  if (kind === 'integer' || kind === 'bigint') return BigInt(json.replaceAll('"', ''))
  return kind === 'float' ? Number(raw) : raw
}

/** `3.0` is a whole number too. */
function wholeNumber(raw: unknown): string | undefined {
  const text = textOf(raw)
  if (/^-?(0|[1-9]\d{0,14})$/.test(text)) return text
  const [, digits] = /^(-?\d+)(\.0*)?$/.exec(text) ?? []
  return digits === undefined ? undefined : bigintJson(BigInt(digits))
}

function textOf(raw: unknown): string {
  return typeof raw === 'object' ? '' : String(raw)
}

function truth(raw: unknown): string | undefined {
  if (raw === 't' || raw === true) return 'true'
  if (raw === 'f' || raw === false) return 'false'
  return typeof raw === 'number' || typeof raw === 'bigint' ? String(Number(raw) !== 0) : undefined
}

function attempt(write: () => string): string | undefined {
  try {
    return write()
  } catch {
    return undefined
  }
}
