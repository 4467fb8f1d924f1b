import './core/check-node.ts'

export { createHandler, type Next, type NodeHandler, type NodeHandlerOptions } from './node/create-handler.ts'
export { prepareServer, serverOptions } from './node/prepare-server.ts'
export type { TrustProxy } from './node/trusted-proxy.ts'
