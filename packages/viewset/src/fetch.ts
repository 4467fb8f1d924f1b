import './core/check-node.ts'

export {
  createHandler,
  type FetchHandler,
  type FetchHandlerOptions,
  type RequestContext,
} from './fetch/create-handler.ts'
