// What a view gets to see of the server's own request: Fastify's, since the program imports the face.
import type { FastifyRequest } from 'fastify'
import {
  AllowAny,
  type ApiRequest,
  allRecords,
  BaseModelSerializer,
  BaseViewSet,
  type ColumnKit,
  type NativeRequest,
} from 'viewset'
import type { Authenticate } from 'viewset/auth'
import type {} from 'viewset/fastify'
import { models } from '../support/models.ts'
import type { Equal, Expect } from './support.ts'

declare const kit: ColumnKit
const { authors } = models(kit)

type _Native = Expect<Equal<NativeRequest, FastifyRequest>>
declare const request: ApiRequest
request.native.ip satisfies string
// @ts-expect-error it is read, not replaced
request.native = {} as FastifyRequest

const _authenticate: Authenticate = ({ native }) => ({ id: native.hostname })

class _Authors extends BaseViewSet({
  model: authors,
  serializer: BaseModelSerializer(authors, { fields: ['id', 'name'] }),
  permissionClasses: [AllowAny],
  queryset: ({ request: { native } }) => {
    native.session satisfies { readonly tenant: string }
    return allRecords
  },
}) {
  override async initial() {
    this.request.native.routeOptions.url satisfies string | undefined
    // @ts-expect-error no plugin has put this there
    this.request.native.sesion
    await super.initial()
  }
}

// What a plugin adds to Fastify's request is there as well.
declare module 'fastify' {
  interface FastifyRequest {
    readonly session: { readonly tenant: string }
  }
}
