import { connect, type Socket } from 'node:net'
import { TestResponse } from 'viewset/testing'

/** A connection for requests that no HTTP client would send. */
export class RawConnection {
  readonly socket: Socket
  readonly #closed = Promise.withResolvers<void>()
  #received = ''

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1' })
    this.socket.setEncoding('utf8')
    this.socket.on('data', (text: string) => {
      this.#received += text
    })
    // A server that closes while the client still sends resets the connection. That is an end too.
    this.socket.on('error', () => {})
    this.socket.on('close', () => this.#closed.resolve())
  }

  send(text: string): this {
    this.socket.write(text)
    return this
  }

  get closed(): Promise<void> {
    return this.#closed.promise
  }

  /** The responses so far. */
  get responses(): readonly TestResponse[] {
    return this.#received
      .split(/(?=HTTP\/1\.1 )/)
      .filter(text => text !== '')
      .map(parse)
  }
}

function parse(response: string): TestResponse {
  const end = response.indexOf('\r\n\r\n')
  const [start = '', ...lines] = response.slice(0, end).split('\r\n')
  const headers = Object.fromEntries(
    lines.map(line => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  )
  return new TestResponse(Number(start.split(' ')[1]), headers, Buffer.from(response.slice(end + 4)))
}
