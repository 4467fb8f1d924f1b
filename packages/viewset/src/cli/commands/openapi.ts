import { Readable } from 'node:stream'
import { Wordings } from '../../core/messages/wording.ts'
import { resolveSettings } from '../../core/settings.ts'
import { describedApi } from '../../describe/described-api.ts'
import { apiJobs, withJobs } from '../../http/api-jobs.ts'
import { endpointsOf } from '../../viewset/endpoints/endpoints.ts'
import { asResourceClass } from '../../viewset/resource/as-resource-class.ts'
import { CliError } from '../cli-error.ts'
import type { ViewsetConfig } from '../config.ts'
import { type OutputOptions, writeFile } from '../write-file.ts'

export interface OpenApiCommandOptions extends OutputOptions {
  readonly output?: string | undefined
  /** The address of the API. Default: its prefix on the server of the document. */
  readonly server?: string | undefined
}

/** Writes the OpenAPI document of an API, without a database. @returns the text to print @throws CliError */
export async function openapi(
  { api }: ViewsetConfig,
  { output, server, ...target }: OpenApiCommandOptions,
): Promise<string> {
  if (!api) {
    const example = "api: { prefix: '/api', resources: { articles: ArticleViewSet } }"
    throw new CliError(`viewset.config.ts does not say how the API is registered; add to it: ${example}`)
  }
  const jobs = apiJobs({ ...api, database: undefined }, resolveSettings(), new Wordings())
  const registered = Object.entries(withJobs(api.resources, jobs?.resource)).map(([name, value]) => {
    const resource = asResourceClass(name, value)
    return { name, resource, endpoints: endpointsOf(name, resource, api) }
  })
  const { prefix = '/' } = api
  // The document never contains the reference page. So its renderer need not be installed here.
  const document = await describedApi(registered, { ...api, docs: false }).document()
  const standard = document.servers ?? [{ url: prefix.replace(/(?<=.)\/$/, '') }]
  const servers = server === undefined ? standard : [{ url: server }]
  const text = `${JSON.stringify({ ...document, servers }, null, 2)}\n`
  return output === undefined || output === '-' ? text : writeFile(Readable.from([text]), output, target)
}
