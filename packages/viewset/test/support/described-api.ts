import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { JsonSchema, OpenApiDocument } from 'viewset'
import { pathTemplate } from '../../src/describe/openapi/parameters.ts'

export interface Header {
  readonly required?: boolean
}
interface Response {
  readonly $ref?: string
  readonly headers?: Readonly<Record<string, Header>>
  readonly content?: Readonly<Record<string, unknown>>
}
interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
}
interface Operation {
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Readonly<Record<string, unknown>> }
  readonly responses: Readonly<Record<string, Response>>
}

/** An operation of a document; schemas are known by where they stand, which the document's own validator follows. */
export interface DescribedOperation {
  readonly name: string
  readonly operation: Operation
  readonly parameters: readonly (Parameter & { readonly schema: string })[]
  readonly bodySchema: string
  response(status: number): (Response & { schemaOf(type: string): string }) | undefined
  /** What a value lacks of the schema that stands there; `undefined` for nothing. */
  errorsOf(schema: string, value: unknown): string | undefined
}

/** Reports, which are described by the schemas that make them: an answer has no member that the document lacks. */
const REPORTS = [
  'DeleteReport',
  'ImportChange',
  'ImportDiff',
  'ImportPreview',
  'ImportResult',
  'ImportRowError',
  'JobProgress',
  'PreviewField',
  'PreviewHeader',
  'PreviewRow',
  'PreviewSheet',
  'UpsertReport',
]

/** A job in a list has its position as well: what no part of them describes is left over. */
function closedJobs(schemas: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> {
  const { JobListItem, JobResponse } = schemas
  const { properties = {} } = (JobResponse ?? {}) as { readonly properties?: { readonly data?: object } }
  const data = { ...properties.data, unevaluatedProperties: false }
  return {
    ...(JobListItem && { JobListItem: { ...JobListItem, unevaluatedProperties: false } }),
    ...(JobResponse && { JobResponse: { ...JobResponse, properties: { ...properties, data } } }),
  }
}

function withClosedReports(document: OpenApiDocument): OpenApiDocument {
  const { schemas = {} } = document.components
  const closed = Object.entries(schemas).map(([name, schema]) => {
    return [name, REPORTS.includes(name) ? { ...schema, additionalProperties: false } : schema]
  })
  return {
    ...document,
    components: { ...document.components, schemas: { ...Object.fromEntries(closed), ...closedJobs(schemas) } },
  }
}

/** Validators by the text of a schema and of all schemas that it refers to. Compiling them is a third of a request. */
const compiled = new Map<string, ValidateFunction>()

/** The document of an API, and what its schemas accept. */
export class DescribedApi {
  static readonly #made = new Map<string, DescribedApi>()
  readonly #document: OpenApiDocument
  readonly #ajv = addFormats.default(new Ajv2020({ strict: false, validateSchema: false, code: { optimize: false } }))
  readonly #validators = new Map<string, ValidateFunction>()
  readonly #operations = new Map<string, DescribedOperation | undefined>()
  readonly #texts = new Map<string, string>()

  private constructor(document: OpenApiDocument) {
    this.#document = withClosedReports(document)
    this.#ajv.addSchema(this.#document, 'document')
  }

  /** APIs that say the same, such as those of the two databases, share what is compiled. */
  static of(document: OpenApiDocument): DescribedApi {
    const text = JSON.stringify(document)
    const made = DescribedApi.#made.get(text) ?? new DescribedApi(document)
    DescribedApi.#made.set(text, made)
    return made
  }

  /** The operation at a path as routers write it, `/cities/:id`, with or without a slash at its end. */
  operationAt(method: string, route: string): DescribedOperation | undefined {
    const key = `${method} ${route}`
    if (!this.#operations.has(key)) this.#operations.set(key, this.#describe(method, route))
    return this.#operations.get(key)
  }

  #describe(method: string, route: string): DescribedOperation | undefined {
    const path = `${route.replace(/\/$/, '')}/`
    const template = pathTemplate({ path })
    const operation = this.#document.paths[template]?.[method.toLowerCase()] as Operation | undefined
    if (operation === undefined) return undefined
    const place = ['paths', template, method.toLowerCase()]
    const shared = (this.#document.components.responses ?? {}) as Operation['responses']
    return {
      name: `${method} ${path}`,
      operation,
      parameters: (operation.parameters ?? []).map((parameter, index) => ({
        ...parameter,
        schema: pointer(...place, 'parameters', String(index), 'schema'),
      })),
      bodySchema: pointer(...place, 'requestBody', 'content', 'application/json', 'schema'),
      response: status => {
        const listed = operation.responses[status]
        const name = listed?.$ref?.split('/').at(-1)
        const response = name === undefined ? listed : shared[name]
        const from = name === undefined ? [...place, 'responses', String(status)] : ['components', 'responses', name]
        return response && { ...response, schemaOf: type => pointer(...from, 'content', type, 'schema') }
      },
      errorsOf: (schema, value) => this.errorsOf(schema, value),
    }
  }

  /** What a value lacks of the schema that stands there; `undefined` for nothing. */
  errorsOf(schema: string, value: unknown): string | undefined {
    const validate = this.#validators.get(schema) ?? this.#validatorOf(schema)
    this.#validators.set(schema, validate)
    return validate(value) ? undefined : this.#ajv.errorsText(validate.errors)
  }

  #validatorOf(schema: string): ValidateFunction {
    const texts = new Map<string, string>()
    const follow = (place: string) => {
      if (texts.has(place)) return
      const text = this.#textAt(place)
      texts.set(place, text)
      for (const [, found = ''] of text.matchAll(/"\$ref":"(#[^"]+)"/g)) follow(found)
    }
    follow(schema)
    const [own, ...others] = texts.values()
    const key = [own, ...[...texts.keys()].slice(1), ...others].join('\n')
    const validate = compiled.get(key) ?? this.#ajv.compile({ $ref: `document${schema}` })
    compiled.set(key, validate)
    return validate
  }

  #textAt(place: string): string {
    const text = this.#texts.get(place) ?? JSON.stringify(valueAt(this.#document, place))
    this.#texts.set(place, text)
    return text
  }
}

function pointer(...keys: readonly string[]): string {
  return `#/${keys.map(key => key.replaceAll('~', '~0').replaceAll('/', '~1')).join('/')}`
}

/** The value that a pointer of {@link pointer} names; `null` for none. */
function valueAt(document: OpenApiDocument, place: string): unknown {
  const keys = place.slice('#/'.length).split('/')
  const value = keys.reduce<unknown>(
    (parent, key) => Object(parent)[key.replaceAll('~1', '/').replaceAll('~0', '~')],
    document,
  )
  return value ?? null
}
