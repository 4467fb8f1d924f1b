import './core/check-node.ts'

export type { ApiOptions } from './http/api-options.ts'
export { createApi, type Handler, type HandlerOptions, type Logger, startHandler } from './http/create-api.ts'
export { HttpApi } from './http/http-api.ts'
export { type Address, HttpRequest, type RequestParts, requestId } from './http/http-request.ts'
export type { ApiPath } from './http/router.ts'
export type { ApiResponse } from './viewset/answer/respond.ts'
export type { Access, Endpoint, EndpointContext } from './viewset/endpoints/endpoint.ts'
