import { stderrLog } from '../core/context.ts'
import type { ApiRequest } from '../core/request.ts'
import { CliError } from './cli-error.ts'

/** The parts of a request that a command has. */
export interface CommandInput extends Pick<ApiRequest, 'query' | 'body' | 'search'> {
  readonly signal: AbortSignal
}

/** A command has no preconditions. */
const PRECONDITIONS: readonly unknown[] = ['if-match', 'if-none-match']

const NO_HEADERS: ApiRequest['headers'] = new Proxy(
  {},
  {
    get(_none, name) {
      if (PRECONDITIONS.includes(name)) return undefined
      throw new CliError('This resource looks at the headers of its request, and a command has none.', 2)
    },
  },
)

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
    headers: NO_HEADERS,
    get native(): never {
      throw new CliError("This resource looks at its server's own request, and a command has none.", 2)
    },
    ...stderrLog,
  }
}
