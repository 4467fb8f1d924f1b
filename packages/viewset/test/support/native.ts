import type { FastifyRequest } from 'fastify'

// The tests import all faces; most of them are about Fastify's.
declare module 'viewset' {
  interface NativeRequests {
    readonly framework: FastifyRequest
  }
}
