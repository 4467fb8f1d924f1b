import { describeFaces } from 'viewset/testing'
import { afterAll, describe, test } from 'vitest'
import { onKoa, onNode } from '../support/faces.ts'

describeFaces({ describe, test, after: afterAll }, onNode, onKoa)
