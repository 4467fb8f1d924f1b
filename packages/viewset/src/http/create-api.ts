import { resolveSettings } from '../core/settings.ts'
import { describedApi } from '../describe/described-api.ts'
import { asResourceClass, checkResource } from '../viewset/as-resource-class.ts'
import { endpointsOf } from '../viewset/endpoints/endpoints.ts'
import type { Authenticate } from '../viewset/handle.ts'
import { apiJobs, withJobs } from './api-jobs.ts'
import { type ApiOptions, checkApiOptions } from './api-options.ts'
import { HttpApi } from './http-api.ts'
import { refusalOfAuthenticate } from './refusal-of-others.ts'

const BODY_LIMIT = 1024 ** 2

/**
 * Makes an API of resources, for whatever server brings the requests: what a face is written on.
 *
 * @throws ConfigError at start, naming the option or the resource that is wrong.
 * @example
 * const api = createApi({ prefix: '/api', database, resources: { countries: CountryViewSet } })
 * const { status, headers, body } = await api.answer(request)
 */
export function createApi(options: ApiOptions): HttpApi {
  checkApiOptions(options)
  const { prefix = '', database, authenticate, baseUrl, bodyLimit = BODY_LIMIT } = options
  const settings = resolveSettings(options.settings)
  const jobs = apiJobs(options, settings)
  const resources = Object.entries(withJobs(options.resources, jobs?.resource)).map(([name, value]) => {
    const resource = asResourceClass(name, value)
    checkResource(name, resource, database, settings)
    return { name, resource, endpoints: endpointsOf(name, resource, options) }
  })
  const described = describedApi(resources, options)
  return new HttpApi({
    prefix,
    baseUrl,
    bodyLimit,
    database,
    authenticate: authenticate ? withRefusals(authenticate) : () => null,
    settings,
    described,
    jobs: jobs?.jobs,
    works: options.jobs?.work ?? true,
  })
}

/** `authenticate` may ask a plugin of the server, or another service, which refuse in their own way. */
function withRefusals(authenticate: Authenticate): Authenticate {
  const asking: Authenticate = async request => {
    try {
      // Nobody, also for code without types that has found no user.
      return (await authenticate(request)) ?? null
    } catch (error) {
      throw refusalOfAuthenticate(error) ?? error
    }
  }
  return Object.assign(asking, authenticate)
}
