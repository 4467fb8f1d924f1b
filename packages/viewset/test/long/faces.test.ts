import { describeFaces } from 'viewset/testing'
import { afterAll, describe, test } from 'vitest'
import { onKoa } from '../support/faces.ts'

// Koa is much like node:http, which test/faces asks each time.
describeFaces({ describe, test, after: afterAll }, onKoa)
