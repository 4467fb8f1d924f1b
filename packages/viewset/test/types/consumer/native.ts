// A program with a framework above its server says which request is the native one, whatever faces it imports.
import { AllowAny, type ApiRequest, BaseViewSet, type NativeRequest } from 'viewset'
import type { Authenticate } from 'viewset/auth'
import { createHandler } from 'viewset/fetch'
import { createHandler as createNodeHandler } from 'viewset/node'
import { database } from './app.js'
import { authors } from './models.js'
import { AuthorSerializer } from './serializers.js'

/** As Hono has one. */
export interface Context {
  readonly var: { readonly user: { readonly id: string } | undefined }
}

declare module 'viewset' {
  interface NativeRequests {
    readonly framework: Context
  }
}

export const user = ({ native }: ApiRequest) => native.var.user satisfies { readonly id: string } | undefined
export const authenticate: Authenticate = ({ native }) => native.var.user ?? null
export const context = (native: NativeRequest) => native satisfies Context

const resources = {
  authors: BaseViewSet({
    model: authors,
    serializer: AuthorSerializer,
    permissionClasses: [AllowAny],
    actions: { me: { method: 'GET', detail: false, handler: ({ request }) => request.native.var.user?.id ?? null } },
  }),
}
const handler = createHandler({
  prefix: '/api',
  database,
  resources,
  authenticate: ({ native }) => native.var.user ?? null,
})
export const answer = (request: Request, native: Context) => handler.answer(request, { native })
// @ts-expect-error it is the framework's own
export const wrong = (request: Request) => handler.answer(request, { native: request })
export const node = createNodeHandler({ database, resources, authenticate })
