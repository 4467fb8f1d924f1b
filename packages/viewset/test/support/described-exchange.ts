import type { DescribedOperation } from './described-api.ts'

/** A request as it arrived, and what was answered. */
export interface Exchange {
  readonly query: Readonly<Record<string, unknown>>
  readonly requestType: string
  readonly requestBody: unknown
  readonly method: string
  readonly status: number
  readonly headers: Readonly<Record<string, unknown>>
  /** `undefined` for what is no JSON, or was not seen. */
  readonly body: unknown
}

/** What the document does not say of an answer; `undefined` for nothing. */
export function differenceOfAnswer(
  described: DescribedOperation,
  { method, status, headers, body }: Exchange,
): string | undefined {
  const response = described.response(status)
  if (response === undefined) return `${status} is none of its statuses`
  const missing = Object.entries(response.headers ?? {}).find(
    ([name, { required }]) => required && headers[name.toLowerCase()] === undefined,
  )
  if (missing) return `${status} lacks the header ${missing[0]}`
  const type = mediaType(headers['content-type'])
  const hasNoBody = method === 'HEAD' || response.content === undefined
  if (hasNoBody) return type === '' || method === 'HEAD' ? undefined : `${status} has no body, but there is ${type}`
  if (!Object.hasOwn(response.content ?? {}, type)) return `${status} has the type "${type}"`
  if (type !== 'application/json' || body === undefined) return undefined
  const errors = described.errorsOf(response.schemaOf(type), body)
  return errors && `${status}: ${errors}: ${shown(body)}`
}

/** What the document does not allow of a request that was accepted; `undefined` for nothing. */
export function differenceOfRequest(described: DescribedOperation, exchange: Exchange): string | undefined {
  return differenceOfQuery(described, exchange) ?? differenceOfBody(described, exchange)
}

function differenceOfQuery({ parameters, errorsOf }: DescribedOperation, { query }: Exchange): string | undefined {
  for (const { name, in: place, schema } of parameters) {
    const text = place === 'query' ? query[name] : undefined
    // What is sent empty says nothing.
    if (typeof text !== 'string' || text === '') continue
    const errors = readings(text).map(value => errorsOf(schema, value))
    if (!errors.includes(undefined)) return `takes ${name}=${text}: ${errors[0]}`
  }
  return undefined
}

function differenceOfBody(described: DescribedOperation, exchange: Exchange): string | undefined {
  const { requestBody } = described.operation
  const { requestType, requestBody: sent } = exchange
  // Where no body is described, whatever is sent is not looked at.
  if (requestBody === undefined) return undefined
  if (sent === undefined) return requestBody.required ? 'takes a request without a body' : undefined
  if (!Object.hasOwn(requestBody.content, requestType)) return `takes a body of the type "${requestType}"`
  if (requestType !== 'application/json') return undefined
  const errors = described.errorsOf(described.bodySchema, sent)
  return errors && `takes ${shown(sent)}: ${errors}`
}

/** All that a text of a query can be, or its items: the parameter's schema says which of them is meant. */
function readings(text: string): readonly unknown[] {
  const items = text.split(',')
  return [text, numberOf(text), booleanOf(text), items, items.map(numberOf), items.map(booleanOf)]
}

function numberOf(text: string): unknown {
  return /^[+-]?[\d.]+(e[+-]?\d+)?$/i.test(text) ? Number(text) : text
}

function booleanOf(text: string): unknown {
  return /^(true|t|yes|y|on|1|false|f|no|n|off|0)$/i.test(text) ? /^(t|y|on|1)/i.test(text) : text
}

export function mediaType(header: unknown): string {
  return String(header ?? '')
    .replace(/;.*$/, '')
    .trim()
    .toLowerCase()
}

function shown(value: unknown): string {
  return JSON.stringify(value).slice(0, 500)
}
