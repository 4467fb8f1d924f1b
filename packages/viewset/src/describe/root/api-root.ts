import { currentContext } from '../../core/context.ts'
import { message } from '../../core/messages/message.ts'
import { languageHeaders } from '../../core/messages/wording.ts'
import { Bare, Reply } from '../../viewset/answer/reply.ts'
import { listSchema, objectSchema, TEXT } from '../../viewset/description/route-description.ts'
import type { Endpoint, EndpointContext } from '../../viewset/endpoints/endpoint.ts'
import { type ApiDescription, apiEndpoint, labelOfResource, type RegisteredResource } from '../api-description.ts'
import type { OpenApiInfo } from '../openapi/options.ts'
import { prefersHtml } from './accepts-html.ts'
import { countList } from './count-list.ts'
import { CONTENT_SECURITY_POLICY, type ListedResource, type PageText, rootPageHtml } from './root-page.ts'

export interface RootOptions {
  /** Whether browsers get a page. */
  readonly hasPage: boolean
  readonly info: OpenApiInfo | undefined
}

interface List {
  readonly registered: RegisteredResource
  readonly endpoint: Endpoint
}

/** `GET {prefix}/`: the resources that the user may list, with their URLs, for a browser as a page. */
export function apiRoot(api: ApiDescription, { hasPage, info }: RootOptions): Endpoint {
  const lists = api.resources.flatMap((registered): List[] => {
    const { name, endpoints } = registered
    const endpoint = endpoints.find(({ method, path }) => method === 'GET' && path === `/${name}/`)
    // A nested resource has no URL without its parent record.
    return endpoint && !name.includes(':') ? [{ registered, endpoint }] : []
  })
  const headers: Readonly<Record<string, string>> = hasPage ? { vary: 'Accept' } : {}
  return {
    ...apiEndpoint({
      action: 'root',
      path: '/',
      describe: () => ({
        summary: 'List the resources',
        description: 'The resources that the user may list, with their addresses.',
        data: listSchema(objectSchema({ name: TEXT, url: { type: 'string', format: 'uri' } })),
        ...(hasPage && { otherTypes: ['text/html'], answerHeaders: { Vary: TEXT } }),
      }),
      answer: async context => {
        const allowed = await allowedLists(lists, context)
        const { accept } = context.request.headers
        if (hasPage && prefersHtml(accept?.toString())) return pageReply(api, allowed, context, info)
        const base = baseOf(context.request)
        const data = allowed.map(({ registered: { name } }) => ({ name, url: `${base}${encodeURI(name)}/` }))
        return new Reply(data, { headers })
      },
    }),
    // The counts of the page come from where lists are read.
    reads: true,
  }
}

async function allowedLists(lists: readonly List[], context: EndpointContext): Promise<readonly List[]> {
  const allowed: List[] = []
  for (const list of lists) {
    if (await list.endpoint.isAllowed(context)) allowed.push(list)
  }
  return allowed
}

function baseOf({ origin, path }: { readonly origin: string; readonly path: string }): string {
  return origin + (path.endsWith('/') ? path : `${path}/`)
}

/** The pages and documents of an API, by their paths. */
const DESCRIPTIONS: Readonly<Record<string, PageText>> = {
  '/docs/': 'root.reference',
  '/openapi.json/': 'root.document',
  '/schema/': 'root.schema',
}

/** Milliseconds in which counts begin. A list after that has none. */
const COUNT_TIME = 500

async function pageReply(
  { endpoints, authenticate }: ApiDescription,
  lists: readonly List[],
  context: EndpointContext,
  info: OpenApiInfo | undefined,
): Promise<Reply> {
  const { request, user } = context
  // Relative links work behind any proxy. Without a slash at its end, the last part of the address is replaced.
  const start = request.path.endsWith('/') ? '' : relative(`${request.path.slice(request.path.lastIndexOf('/') + 1)}/`)
  const links: { readonly text: string; readonly link: string }[] = []
  let isDocumentOpen = false
  for (const [path, name] of Object.entries(DESCRIPTIONS)) {
    const endpoint = endpoints.find(described => described.path === path)
    if (!endpoint || !(await endpoint.isAllowed(context))) continue
    links.push({ text: String(message(name)), link: start + path.slice(1).replace(/\.json\/$/, '.json') })
    if (path === '/openapi.json/') isDocumentOpen = true
  }
  const until = performance.now() + COUNT_TIME
  const resources: ListedResource[] = []
  for (const { registered } of lists) {
    const { name, resource } = registered
    const isQuick = request.search === '' && performance.now() < until
    resources.push({
      label: labelOfResource(registered),
      description: resource.definition.config.describes?.description,
      path: `/${name}/`,
      link: `${start || './'}${encodeURI(name)}/`,
      count: isQuick ? await countList(registered, context) : undefined,
    })
  }
  const { title = 'API', version, description } = info ?? {}
  const shown = isDocumentOpen ? { version, description } : { version: undefined, description: undefined }
  const isAnonymous = authenticate !== undefined && user === null
  const wording = currentContext()
  const page = rootPageHtml({ language: wording.language.tag, title, ...shown, links, resources, isAnonymous })
  return new Reply(new Bare('text/html; charset=utf-8', page), {
    headers: {
      ...languageHeaders(wording),
      vary: wording.varies ? 'Accept, Accept-Language' : 'Accept',
      // It shows what this user may see.
      'cache-control': 'private, no-cache',
      'content-security-policy': CONTENT_SECURITY_POLICY,
    },
  })
}

/** Without `./`, a colon in the first part of a link would end a scheme, such as `javascript:`. */
function relative(link: string): string {
  return link.includes(':') ? `./${link}` : link
}
