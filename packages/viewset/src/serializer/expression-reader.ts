import { ConfigError } from '../core/errors.ts'
import type { ExpressionValue } from '../model/dialect/dialect.ts'
import { bigintJson } from '../model/dialect/json-text.ts'
import type { ModelInfo } from '../model/model-info.ts'
import type { ExpressionField } from './fields.ts'

/** Reads what the driver delivers for an expression, null included. */
export interface ExpressionReader {
  /** JSON text of the declared type. @throws ConfigError for a value of another type */
  json(raw: unknown): string
  /** The value as the dialect's decoders take it. @throws ConfigError for a value of another type */
  checked(raw: unknown): unknown
}

/** As JSON has it: without zeros in front. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i
const NOT_FINITE = /^(NaN|-?Infinity)$/

/** What the dialect's JSON text must look like. PostgreSQL also knows years beyond 9999, those before Christ and `infinity`. */
const JSON_FORMS: Partial<Record<ExpressionValue['kind'], RegExp>> = {
  decimal: /^"(-?\d+(\.\d+)?(e[+-]\d+)?|NaN|-?Infinity)"$/,
  timestamp: /^"(\d{4,}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.Z+: BC-]*|-?infinity)"$/,
  date: /^"(\d{4,}-\d\d-\d\d( BC)?|-?infinity)"$/,
  time: /^"\d\d:\d\d:\d\d(\.\d+)?"$/,
  uuid: /^"[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}"$/i,
}

/**
 * The reader of an expression's values. No database holds an expression to the type that is declared for it, so each
 * value is checked. Numbers may arrive as texts, as `strftime` of SQLite and each value of PostgreSQL do.
 */
export function expressionReader({ dialect, name }: ModelInfo, field: ExpressionField): ExpressionReader {
  const { value, notNull, key } = field
  const write = writerOf(value, dialect.jsonWriter(value))
  const refusal = (problem: string) =>
    new ConfigError(`BaseModelSerializer(${name})`, 'extra', `"${key}" is an ExpressionField ${problem}`)
  const json = (raw: unknown): string => {
    if (raw === null) {
      if (notNull)
        throw refusal('with notNull, and its SQL returns null; leave notNull out, or use coalesce(...) in SQL')
      return 'null'
    }
    const text = write(raw)
    if (text !== undefined) return text
    throw refusal(
      `of type '${value.kind}', and its SQL returns another type; cast it in SQL, or declare the type it has`,
    )
  }
  const isWhole = value.kind === 'integer' || value.kind === 'bigint'
  return {
    json,
    checked: raw => {
      const text = json(raw)
      if (typeof raw !== 'string') return raw
      // SQLite's decoders take no texts for numbers.
      return isWhole ? BigInt(text.replaceAll('"', '')) : value.kind === 'float' ? Number(raw) : raw
    },
  }
}

/** From a value that is not null to JSON text; `undefined` for one of another type. */
function writerOf({ kind }: ExpressionValue, write: (raw: unknown) => string): (raw: unknown) => string | undefined {
  switch (kind) {
    case 'integer':
      return raw => {
        const json = wholeNumber(raw)
        // What JavaScript cannot hold exactly is a string, and no integer to a client.
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

/** A whole number may have zeros behind its point: `3.0` is one. */
function wholeNumber(raw: unknown): string | undefined {
  const text = textOf(raw)
  if (/^-?(0|[1-9]\d{0,14})$/.test(text)) return text
  const [, digits] = /^(-?\d+)(\.0*)?$/.exec(text) ?? []
  return digits === undefined ? undefined : bigintJson(BigInt(digits))
}

/** Bytes have no text. */
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
