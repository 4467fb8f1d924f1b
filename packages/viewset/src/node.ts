import './core/check-node.ts'

export { createHandler, type Next, type NodeHandler, type NodeHandlerOptions } from './node/create-handler.ts'
export { prepareServer, serverOptions, type TrustProxy } from './node/prepare-server.ts'
