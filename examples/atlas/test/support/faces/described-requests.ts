import type { JsonSchema, OpenApiDocument } from 'viewset'
import type { KnownKeys } from './atlas-copies.ts'
import { addressOf, jsonRequest, PARAMETERS, type RecordedRequest } from './recorded-request.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PURGE']
const UNKNOWN = ['00000000-0000-4000-8000-000000000000', 'nothing', '%C3%A9', '%zz', 'a%2Fb', 'x'.repeat(300)]
/** What a list that comes whole does not look at. */
const OF_PAGES = ['page', 'page_size']

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: JsonSchema
}
interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, unknown>> }
}

/** The requests to all that the document describes. A new endpoint, method or parameter needs no line here. */
export function describedRequests(document: OpenApiDocument, known: KnownKeys): readonly RecordedRequest[] {
  return Object.entries(document.paths).flatMap(([path, operations]) => {
    const url = addressOf(path, known)
    const offered = Object.keys(operations).map(method => method.toUpperCase())
    const others = METHODS.filter(method => !offered.includes(method))
    const unknown = PARAMETERS.filter(name => path.includes(`{${name}}`)).flatMap(name =>
      UNKNOWN.map(key => addressOf(path, known, { [name]: key })),
    )
    return [
      ...others.map(method => ({ method, path: url, as: 'admin' as const })),
      { method: 'OPTIONS', path: url.replace(/\/$/, '') },
      ...unknown.map(address => ({ method: 'GET', path: address, as: 'admin' as const })),
      ...Object.entries(operations).flatMap(([method, operation]) =>
        requestsTo(method.toUpperCase(), url, operation as Operation, known),
      ),
    ]
  })
}

function requestsTo(
  method: string,
  path: string,
  { parameters = [], requestBody }: Operation,
  known: KnownKeys,
): readonly RecordedRequest[] {
  const refused = [{ method, path }, { method, path, as: 'stranger' } as const]
  if (method === 'GET') {
    const queries = parameters
      .filter(parameter => parameter.in === 'query')
      .flatMap(({ name, schema }) =>
        valuesOf(name, schema, known).map(
          value => `${name}=${encodeURIComponent(value)}${OF_PAGES.includes(name) ? '&paginated=true' : ''}`,
        ),
      )
    return [
      ...refused,
      { method, path, as: 'reader' },
      { method, path: path.replace(/\/$/, ''), as: 'admin' },
      { method: 'HEAD', path, as: 'admin' },
      ...queries.map(query => ({ method, path: `${path}?${query}`, as: 'admin' as const })),
    ]
  }
  const body = (type: string, payload: string) =>
    ({ method, path, as: 'admin', headers: { 'content-type': type }, payload }) as const
  const ofBody = [
    ...['{"name":', '[]', 'null', '"text"', '{}', '\u0000'].map(text => body('application/json', text)),
    body('text/plain', 'text'),
    body('application/json; charset=latin1', '{}'),
    body('multipart/form-data', ''),
    { ...body('application/json', '{}'), headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
  ]
  return [
    ...refused,
    jsonRequest(method, path, {}, 'reader'),
    // What takes no body would do its work, which has a place of its own in the list.
    ...(requestBody === undefined ? [] : ofBody),
  ]
}

/** Values of a parameter: what it takes, and something else. */
function valuesOf(name: string, schema: JsonSchema, known: KnownKeys): readonly string[] {
  const { type, format, items, enum: names, minItems } = schema
  if (Array.isArray(names)) return [...names.map(String), 'neither']
  switch (type) {
    case 'array': {
      const values = valuesOf(name, items as JsonSchema, known)
      return minItems === 2
        ? [values.slice(0, 2).join(','), values[0] ?? '']
        : [...values, values.slice(0, 2).join(',')]
    }
    case 'boolean':
      return ['true', 'false', 'perhaps']
    case 'integer':
      return ['1', '3', '-1', '2026', 'many']
    case 'string':
      if (format === 'uuid') return [known[name.startsWith('region') ? 'regions' : 'countries'][0] ?? '', 'nobody']
      if (format === 'date') return ['2026-01-10', '2026-01-12', 'yesterday']
      if (/_gte|_lte|_range/.test(name)) return ['51.5', '55', 'north']
      return [textOf(name), 'Town é%', '']
    default:
      return ['2026-01-03', '2026-01-03T12:00:00Z', 'yesterday']
  }
}

function textOf(name: string): string {
  if (name.includes('continent')) return 'EU'
  return name.includes('code') ? 'NO' : 'Oslo'
}

/** The operations of a document, as `GET /cities/{id}/`. */
export function operationsOf(document: OpenApiDocument): readonly string[] {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map(method => `${method.toUpperCase()} ${path}`),
  )
}
