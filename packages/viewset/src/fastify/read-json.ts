import type { FastifyRequest } from 'fastify'
import { readJson as read } from '../http/read-json.ts'

/** Fastify's content type parser for `application/json`. */
export function readJson(
  { headers }: FastifyRequest,
  body: Buffer,
  done: (error: Error | null, body?: unknown) => void,
): void {
  try {
    done(null, read(headers['content-type'] ?? '', body))
  } catch (error) {
    done(error as Error)
  }
}
