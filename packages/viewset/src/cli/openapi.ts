import { Readable } from 'node:stream'
import { describedApi } from '../describe/described-api.ts'
import { openApiDocument } from '../describe/openapi/document.ts'
import { endpointsOf } from '../viewset/endpoints.ts'
import type { AnyResourceClass } from '../viewset/resource-class.ts'
import { CliError } from './cli-error.ts'
import type { ViewsetConfig } from './config.ts'
import { type OutputOptions, writeFile } from './write-file.ts'

export interface OpenApiCommandOptions extends OutputOptions {
  /** A path; by default, the document is printed. */
  readonly output?: string | undefined
  /** Where the API is; by default its prefix, at whatever server the document comes from. */
  readonly server?: string | undefined
}

/** Writes the OpenAPI document of an API, without a database. @returns what to print @throws CliError */
export async function openapi(
  { api }: ViewsetConfig,
  { output, server, ...target }: OpenApiCommandOptions,
): Promise<string> {
  if (!api) {
    const example = "api: { prefix: '/api', resources: { articles: ArticleViewSet } }"
    throw new CliError(`viewset.config.ts does not say how the API is registered; add to it: ${example}`)
  }
  const registered = Object.entries(api.resources).map(([name, value]) => {
    // The application checks its classes when it registers them; here, they are only asked what they are.
    const resource = value as unknown as AnyResourceClass
    return { name, resource, endpoints: endpointsOf(name, resource) }
  })
  const { openapi: options, prefix = '/' } = api
  const document = await openApiDocument(describedApi(registered, api), typeof options === 'object' ? options : {})
  const servers = [{ url: server ?? prefix }]
  const text = `${JSON.stringify({ ...document, servers }, null, 2)}\n`
  return output === undefined || output === '-' ? text : writeFile(Readable.from([text]), output, target)
}
