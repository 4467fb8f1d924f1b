import type { OpenApiDocument } from 'viewset'
import { expect, test } from 'vitest'
import { openapi } from '../../../packages/viewset/src/cli/commands/openapi.ts'
import { faultsOf } from '../../../packages/viewset/test/support/document-faults.ts'
import config from '../viewset.config.ts'

test("the atlas's document is right for two validators and a linter", async () => {
  const options = { server: 'https://atlas.test/api', force: false, cwd: import.meta.dirname }
  expect(await faultsOf(JSON.parse(await openapi(config, options)) as OpenApiDocument)).toEqual([])
})
