import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { Client } from 'pg'

/** What a pooler in transaction mode remembers of each client (PgBouncer, "SET/RESET"), by its lower-case name. */
const TRACKED = new Set(['client_encoding', 'datestyle', 'timezone', 'standard_conforming_strings', 'application_name'])

interface Pooler {
  /** The database's address through the pooler. */
  readonly url: string
  close(): Promise<void>
}

interface Message {
  readonly type: string
  readonly bytes: Buffer
}

/**
 * PgBouncer's transaction mode in small: clients share `size` connections, each for the length of a transaction. It
 * refuses start-up parameters that it cannot keep, and knows nothing of prepared statements (PgBouncer before 1.21).
 */
export async function startTransactionPooler(databaseUrl: string, size: number): Promise<Pooler> {
  const servers = await Promise.all(Array.from({ length: size }, () => ServerConnection.open(databaseUrl)))
  const free = [...servers]
  const waiting: ((server: ServerConnection) => void)[] = []
  const sockets = new Set<Socket>()
  const take = async () => free.shift() ?? new Promise<ServerConnection>(resolve => waiting.push(resolve))
  // The connection that has rested longest comes first: no client can count on meeting the same one again.
  const give = (server: ServerConnection) => {
    const next = waiting.shift()
    if (next) next(server)
    else free.push(server)
  }

  const listener = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    serve(socket, take, give)
  }).listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  if (typeof address !== 'object' || !address) throw new Error('No free port')
  const url = new URL(databaseUrl)
  url.port = String(address.port)
  return {
    url: url.href,
    async close() {
      for (const socket of sockets) socket.destroy()
      listener.close()
      await Promise.all(servers.map(server => server.close()))
    },
  }
}

type Variables = Map<string, string>

/** One connection to PostgreSQL, over which the messages of one client after the other go. */
class ServerConnection {
  readonly #stream: Socket
  readonly #variables: Variables = new Map()
  #receive: (message: Message) => void = () => {}

  private constructor(stream: Socket) {
    this.#stream = stream
    stream.removeAllListeners('data')
    readMessages(stream, message => {
      if (message.type === 'S') this.#variables.set(...variableOf(message))
      this.#receive(message)
    })
  }

  static async open(connectionString: string): Promise<ServerConnection> {
    // `pg` signs in; then its socket is all that is needed of it.
    const client = new Client({ connectionString })
    client.on('error', () => {})
    await client.connect()
    return new ServerConnection(Reflect.get(Reflect.get(client, 'connection') as object, 'stream') as Socket)
  }

  /** Gives the server what the client believes to have set. */
  async take(variables: Variables): Promise<void> {
    for (const [name, value] of variables) {
      if (this.#variables.get(name) === value) continue
      const done = new Promise<void>(resolve => {
        this.#receive = ({ type }) => type === 'Z' && resolve()
      })
      this.#stream.write(message('Q', text(`set ${name} to '${value}'`)))
      await done
      this.#variables.set(name, value)
    }
  }

  send(bytes: Buffer): void {
    this.#stream.write(bytes)
  }

  onMessage(receive: (message: Message) => void): void {
    this.#receive = receive
  }

  async close(): Promise<void> {
    const closed = once(this.#stream, 'close')
    this.#stream.end(message('X'))
    await closed
  }
}

function serve(socket: Socket, take: () => Promise<ServerConnection>, give: (server: ServerConnection) => void): void {
  let variables: Variables | undefined
  let server: ServerConnection | undefined
  let isTaking = false
  let outbox: Buffer[] = []

  const forward = async () => {
    if (isTaking) return
    if (!server) {
      isTaking = true
      const taken = await take()
      await taken.take(variables!)
      taken.onMessage(received => {
        if (received.type === 'S') variables?.set(...variableOf(received))
        socket.write(received.bytes)
        if (received.type !== 'Z' || received.bytes.toString('latin1', 5, 6) !== 'I') return
        server = undefined
        give(taken)
        if (outbox.length > 0) void forward()
      })
      server = taken
      isTaking = false
    }
    for (const bytes of outbox) server.send(bytes)
    outbox = []
  }

  readMessages(
    socket,
    ({ type, bytes }) => {
      if (variables === undefined) {
        variables = signIn(socket, bytes)
      } else if (type === 'X') {
        socket.end()
      } else {
        outbox.push(bytes)
        void forward()
      }
    },
    true,
  )
}

/** Answers a client's first message. Everybody may come in: it listens to this machine only. */
function signIn(socket: Socket, bytes: Buffer): Variables {
  // Behind its length and the protocol's version: names and values, and an empty name.
  const words = bytes.toString('utf8', 8).split('\0')
  const variables: Variables = new Map()
  for (let i = 0; words[i]; i += 2) {
    const name = words[i]!.toLowerCase()
    if (TRACKED.has(name)) variables.set(name, words[i + 1] ?? '')
    else if (name !== 'user' && name !== 'database') {
      const problem = `unsupported startup parameter: ${name}`
      socket.end(message('E', text('SFATAL'), text('C08P01'), text(`M${problem}`), Buffer.of(0)))
    }
  }
  socket.write(
    Buffer.concat([
      message('R', Buffer.alloc(4)),
      // The process and its secret are the pooler's own invention.
      message('K', Buffer.of(0x7f, 0, 0, 1, 0, 0, 0, 1)),
      message('Z', Buffer.from('I')),
    ]),
  )
  return variables
}

function variableOf({ bytes }: Message): [name: string, value: string] {
  const [name = '', value = ''] = bytes.toString('utf8', 5).split('\0')
  return [name.toLowerCase(), value]
}

const text = (value: string) => Buffer.from(`${value}\0`)

function message(type: string, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

/** Cuts what arrives into messages: a type, a length, a body. A client's first one has no type. */
function readMessages(socket: Socket, receive: (message: Message) => void, startsUntyped = false): void {
  let rest = Buffer.alloc(0)
  let typed = !startsUntyped
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const start = typed ? 1 : 0
      if (rest.length < start + 4) return
      const end = start + rest.readInt32BE(start)
      if (rest.length < end) return
      const bytes = rest.subarray(0, end)
      rest = rest.subarray(end)
      const type = typed ? String.fromCharCode(bytes[0]!) : ''
      typed = true
      receive({ type, bytes })
    }
  })
}
