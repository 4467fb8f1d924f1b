import { ConfigError } from '../core/errors.ts'
import type { WordingOptions } from '../core/messages/wording.ts'
import type { EnvelopeOptions } from '../core/project-envelope.ts'
import { checkOptions, type SettingRules, setting } from '../core/setting-rules.ts'
import type { Endpoint } from '../viewset/endpoints/endpoint.ts'
import type { Authenticate } from '../viewset/handle.ts'
import type { ApiDescription, RegisteredResource } from './api-description.ts'
import { type DocsOptions, referencePage } from './docs/reference-page.ts'
import { openApiDocument, openApiEndpoint } from './openapi/document.ts'
import type { OpenApiDocument, OpenApiOptions } from './openapi/options.ts'
import { apiRoot } from './root/api-root.ts'
import { type SchemaOptions, schemaEndpoint } from './schema/endpoint.ts'

/** The parts of its own description that an API serves, beside the list of resources. */
export interface DescribingOptions {
  /** Whether `GET {prefix}/` answers a browser with a page of its lists. Other clients get JSON. Default true. */
  readonly rootPage?: boolean
  /** Whether `GET {prefix}/openapi.json` serves the API's OpenAPI 3.1 document, and its options. Default false. */
  readonly openapi?: boolean | OpenApiOptions
  /** Whether `GET {prefix}/schema/` serves what the current user may do, and how. Default false. */
  readonly schema?: boolean | SchemaOptions
  /**
   * Whether `GET {prefix}/docs/` serves a page for reading the document and trying requests. Needs `openapi`, and the
   * package `swagger-ui-dist`. Default false.
   */
  readonly docs?: boolean | DocsOptions
}

interface DescribedOptions extends DescribingOptions, EnvelopeOptions, Pick<WordingOptions, 'errorCodes'> {
  readonly authenticate?: Authenticate
}

export interface DescribedApi extends ApiDescription {
  document(): Promise<OpenApiDocument>
}

export function describedApi(
  resources: readonly RegisteredResource[],
  { rootPage = true, openapi, schema, docs, authenticate, errorCodes = false, ...own }: DescribedOptions,
): DescribedApi {
  checkDescribing({ openapi, schema, docs })
  const endpoints: Endpoint[] = []
  const documentOptions = given(openapi)
  const document = () => openApiDocument(api, documentOptions)
  const api: DescribedApi = { resources, endpoints, authenticate, errorCodes, own, document }
  endpoints.push(apiRoot(api, { hasPage: rootPage, info: documentOptions.info }))
  if (schema) endpoints.push(schemaEndpoint(api, given(schema)))
  if (openapi) endpoints.push(openApiEndpoint(document, documentOptions))
  if (docs && !openapi) {
    throw new ConfigError('api', 'docs', 'shows the document of the option openapi; switch that on too')
  }
  if (docs) endpoints.push(...referencePage(api, { title: documentOptions.info?.title, ...given(docs) }))
  refuseTaken(api)
  return api
}

/** @throws ConfigError for a resource at a path of the API's own description. */
function refuseTaken({ resources, endpoints }: ApiDescription): void {
  const taken = new Set(endpoints.map(({ path }) => path))
  for (const { name, endpoints: own } of resources) {
    const path = own.find(endpoint => taken.has(endpoint.path))?.path
    if (path === undefined) continue
    throw new ConfigError(`resources.${name}`, 'name', `${path} is where the API describes itself; take another name`)
  }
}

/** The options of a setting that can also be a boolean. */
function given<T extends object>(option: boolean | T | undefined): Partial<T> {
  return typeof option === 'object' ? option : {}
}

const RULES = {
  openapi: {
    permissionClasses: setting.permissions,
    info: setting.object,
    errors: setting.refusals,
    change: setting.function,
  },
  schema: { permissionClasses: setting.permissions },
  docs: { permissionClasses: setting.permissions, title: setting.text },
} as const

const INFO: SettingRules = {
  title: setting.text,
  version: setting.text,
  summary: setting.text,
  description: setting.text,
  termsOfService: setting.text,
  contact: setting.object,
  license: setting.object,
}

/** @throws ConfigError for a wrong option: at start, and not at the first request for the document. */
function checkDescribing(options: { readonly [K in keyof typeof RULES]?: unknown }): void {
  for (const [name, rules] of Object.entries(RULES)) {
    const value = options[name as keyof typeof RULES] ?? false
    if (typeof value === 'boolean') continue
    if (!setting.object.accepts(value)) {
      throw new ConfigError('api', name, `must be true, false or an object: { ${Object.keys(rules).join(', ')} }`)
    }
    const given = value as { readonly info?: object }
    checkOptions(`api.${name}`, rules, given)
    checkOptions(`api.${name}.info`, INFO, given.info ?? {})
  }
}
