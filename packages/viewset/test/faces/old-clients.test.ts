import { connect } from 'node:net'
import { serverOptions } from 'viewset/fastify'
import { expect, test } from 'vitest'
import { askOver, fastifyFace, onNode } from '../support/faces.ts'

// nginx asks by HTTP/1.0 where nothing else is configured. An answer without a length ends there with its connection.
test.each([fastifyFace('Fastify', serverOptions), onNode])(
  'a file that fails half-way does not end like a whole one for a client of HTTP/1.0: $name',
  face =>
    askOver(face, async api => {
      const { port, hostname } = new URL(api.url)
      const ended = Promise.withResolvers<string>()
      const socket = connect(Number(port), hostname).resume()
      socket.once('end', () => ended.resolve('like a whole one'))
      socket.once('error', ({ message }) => ended.resolve(message))
      socket.write(api.head('GET', '/notes/broken/').replace('HTTP/1.1', 'HTTP/1.0'))
      expect(await ended.promise).toContain('ECONNRESET')
    }),
)
