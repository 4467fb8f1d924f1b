import { serverOptions } from 'viewset/fastify'
import { describeFaces } from 'viewset-faces'
import { afterAll, describe, test } from 'vitest'
import { fastifyFace } from '../support/faces.ts'

describeFaces({ describe, test, after: afterAll }, fastifyFace('Fastify', serverOptions))
