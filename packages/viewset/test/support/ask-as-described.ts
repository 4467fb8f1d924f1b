import fc from 'fast-check'
import { insertMany, type OpenApiDocument } from 'viewset'
import { TestApi, type TestResponse } from './api.ts'
import { DescribedApi } from './described-api.ts'
import { type DrawnRequest, drawnRequests } from './described-requests.ts'
import type { TestDialect } from './dialects.ts'
import { everyApi } from './every-api.ts'
import type { EveryTable } from './every-feature.ts'
import { uuid } from './expect.ts'
import { foundDifferences } from './hold-to-description.ts'

/** The rows begin anew with so many requests: what one stores, some others find. */
const ROW = 50
const SEED = 12

/** What finds something in those rows. */
const KNOWN = ['DE', 'NO', 'Ada', 'Bob', 'Berlin', uuid(1), uuid(2), 1, 2]

/** What a request may be answered that the document allows to the letter: rules, keys and uniqueness are not in it. */
const ALLOWED = [200, 201, 202, 204, 207, 400, 404, 409]

interface Outcome {
  /** How often each status came. */
  readonly statuses: ReadonlyMap<number, number>
  /** What should not have come, each with its request. */
  readonly problems: readonly string[]
}

/**
 * Asks an API that has everything by requests that are drawn from its document, the same ones each time: never a 5xx,
 * never a body that is no envelope, never an answer that the document does not have.
 */
export async function askAsDescribed(dialect: TestDialect, count: number): Promise<Outcome> {
  const { tables, ...options } = everyApi(dialect)
  const api = await TestApi.start(dialect, { tables, ...options, users: { ann: { id: 'ann' } } })
  const statuses = new Map<number, number>()
  const problems: string[] = []
  try {
    const document: OpenApiDocument = JSON.parse((await api.get('/openapi.json')).text)
    const described = DescribedApi.of(document)
    const requests = drawnRequests(document, KNOWN)
    for (let done = 0; done < count; done += ROW) {
      await api.clear()
      await seed(api, tables)
      for (const drawn of fc.sample(requests, { numRuns: ROW, seed: SEED + done })) {
        const response = await send(api, drawn)
        statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
        const found = [...problemsOf(response, drawn, described), ...(await foundDifferences())]
        const unexpected = found.filter(problem => !isByDesign(problem, drawn))
        problems.push(...unexpected.map(problem => `${problem}\n  ${shown(drawn)} -> ${response.text.slice(0, 300)}`))
      }
    }
    return { statuses, problems }
  } finally {
    await api.close()
  }
}

function send(api: TestApi, { method, url, headers, as, body }: DrawnRequest): Promise<TestResponse> {
  return api.request(method, url, { headers, ...(as && { as }), ...(body !== undefined && { payload: body }) })
}

function problemsOf({ status, text, headers }: TestResponse, drawn: DrawnRequest, described: DescribedApi): string[] {
  const problems: string[] = []
  if (status >= 500) problems.push(`A fault: ${status}`)
  if (isAllowed(drawn, described) && !ALLOWED.includes(status)) problems.push(`Allowed to the letter, but ${status}`)
  const isFile = headers['content-disposition'] !== undefined
  if (status === 204 || drawn.method === 'HEAD' || isFile) return problems
  const { success, message } = JSON.parse(text) as { readonly success?: unknown; readonly message?: unknown }
  const isEnvelope = success === (status < 300 && status !== 207) && typeof message === 'string'
  return isEnvelope ? problems : [...problems, 'No envelope']
}

function shown({ method, url, body, headers, as }: DrawnRequest): string {
  return [as ?? 'nobody', method, url, JSON.stringify(headers), String(body)].join(' ').slice(0, 1_000)
}

/** What the document leaves out on purpose: it says what is meant, and not what is passed over. */
function isByDesign(problem: string, { drawnFrom: { path }, parameters, body }: DrawnRequest): boolean {
  // What is no key names no record.
  if (/(delete|restore)\/ takes \[/.test(problem)) return true
  // A whole list looks at no parameters of pages, and a file of the client's own rows at none.
  const { 'query.paginated': paginated = path !== '/whole/' } = parameters
  const isUnheard = paginated !== true || (path.endsWith('/export/') && String(body).includes('"data":[{'))
  return isUnheard && / takes \w+=/.test(problem)
}

/** Whether the document allows a request to the letter. */
function isAllowed({ drawnFrom, isStraight, parameters, body }: DrawnRequest, described: DescribedApi): boolean {
  const operation = described.operationAt(drawnFrom.method, drawnFrom.path.replace(/\{(\w+)\}/g, ':$1'))
  if (!operation || !isStraight) return false
  // That list comes in pages only.
  const isWhole = parameters['query.paginated'] === false && drawnFrom.path === '/people/'
  const areRight = operation.parameters.every(({ name, in: place, schema }) => {
    const value = parameters[`${place}.${name}`]
    return value === undefined || operation.errorsOf(schema, value) === undefined
  })
  const isRight = typeof body !== 'string' || operation.errorsOf(operation.bodySchema, JSON.parse(body)) === undefined
  return areRight && isRight && !isWhole
}

/** Some rows that requests find. */
function seed({ database }: TestApi, { countries, people, cities }: EveryTable): Promise<unknown> {
  return database.transaction(async () => {
    await insertMany(countries, [
      { code: 'DE', name: 'Germany' },
      { code: 'NO', name: 'Norway' },
    ])
    await insertMany(people, [
      { id: 1, name: 'Ada' },
      { id: 2, name: 'Bob' },
    ])
    await insertMany(cities, [
      { id: uuid(1), name: 'Berlin', country: 'DE' },
      { id: uuid(2), name: 'Oslo', country: 'NO' },
    ])
  })
}
