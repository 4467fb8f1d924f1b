import { stderrLog } from '../core/context.ts'
import type { ApiRequest } from '../core/request.ts'
import { CliError } from './cli-error.ts'

/** The parts of a request that a command has. */
export interface CommandInput extends Pick<ApiRequest, 'query' | 'body' | 'search'> {
  readonly signal: AbortSignal
}

/** A request without a server. Reading a property that only a client sends is an error that says so. */
export function commandRequest(input: CommandInput): ApiRequest {
  return {
    id: '',
    method: 'POST',
    origin: 'http://localhost',
    url: '/',
    path: '/',
    params: {},
    bodyStream: null,
    ...input,
    get headers(): never {
      throw new CliError('This resource looks at the headers of its request, and a command has none.', 2)
    },
    get native(): never {
      throw new CliError("This resource looks at its server's own request, and a command has none.", 2)
    },
    ...stderrLog,
  }
}
