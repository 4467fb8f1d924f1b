import { ConfigError } from '../core/errors.ts'
import { expressionDriverValue, expressionJson } from '../model/dialect/expression-json.ts'
import type { ModelInfo } from '../model/model-info.ts'
import type { ExpressionField } from './fields.ts'

/** Reads what the driver delivers for an expression, null included. */
export interface ExpressionReader {
  /** JSON text of the declared type. @throws ConfigError for a value of another type */
  json(raw: unknown): string
  /** The value as the dialect's decoders take it. @throws ConfigError for a value of another type */
  checked(raw: unknown): unknown
}

/**
 * The reader of an expression's values. No database holds an expression to the type that is declared for it, so each
 * value is checked. Numbers may arrive as texts, as `strftime` of SQLite and each value of PostgreSQL do.
 */
export function expressionReader({ dialect, name }: ModelInfo, field: ExpressionField): ExpressionReader {
  const { value, notNull, key } = field
  const write = expressionJson(value, dialect.jsonWriter(value))
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
  return { json, checked: raw => expressionDriverValue(value, raw, json(raw)) }
}
