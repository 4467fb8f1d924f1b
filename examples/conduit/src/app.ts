import { randomBytes } from 'node:crypto'
import Fastify, { type FastifyInstance } from 'fastify'
import { bearerJwt } from 'viewset/auth'
import { logOptions, resources, serverOptions } from 'viewset/fastify'
import { Accounts } from './accounts.ts'
import type { ConduitDatabase } from './database.ts'
import { models } from './models.ts'
import { conduitResources } from './resources.ts'
import { envelope, errorHandler, messages, requestBody } from './wire.ts'

/** Conduit as a Fastify application. Without a secret, tokens end with the process. */
export async function createConduit(
  { database, kit }: ConduitDatabase,
  secret = randomBytes(32).toString('hex'),
): Promise<FastifyInstance> {
  const app = Fastify({ ...serverOptions, logger: { ...logOptions, level: 'warn' } })
  app.addHook('onClose', () => database.close())
  await app.register(resources, {
    prefix: '/api',
    database,
    resources: conduitResources(models(kit), new Accounts(secret)),
    authenticate: bearerJwt({ secret, scheme: 'Token', user: ({ sub }) => ({ id: Number(sub) }) }),
    envelope,
    errorHandler,
    requestBody,
    messages,
    openapi: { errors: { 409: 'The value is taken.', 422: 'The body is not valid.' } },
  })
  return app
}
