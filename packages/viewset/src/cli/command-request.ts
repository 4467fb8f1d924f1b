import { stderrLog } from '../core/context.ts'
import type { ApiRequest } from '../core/request.ts'
import { CliError } from './cli-error.ts'

/** What a command asks of a resource, as a request would. */
export interface CommandAsks extends Pick<ApiRequest, 'query' | 'body' | 'search'> {
  readonly signal: AbortSignal
}

/** A request that no server has received. Code that asks it for what only a client sends is told so. */
export function commandRequest(asks: CommandAsks): ApiRequest {
  return {
    id: '',
    method: 'POST',
    origin: 'http://localhost',
    url: '/',
    path: '/',
    params: {},
    bodyStream: null,
    ...asks,
    get headers(): never {
      throw new CliError('This resource looks at the headers of its request, and a command has none.', 2)
    },
    get native(): never {
      throw new CliError("This resource looks at its server's own request, and a command has none.", 2)
    },
    ...stderrLog,
  }
}
