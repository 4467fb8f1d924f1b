import './core/check-node.ts'

export { type ResourcesOptions, resources } from './fastify/resources.ts'
export { logOptions, serverOptions } from './fastify/server-options.ts'
