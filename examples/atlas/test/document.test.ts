import type { OpenApiDocument } from 'viewset'
import { beforeAll, describe, expect, test } from 'vitest'
import { openapi } from '../../../packages/viewset/src/cli/commands/openapi.ts'
import { faultsOf } from '../../../packages/viewset/test/support/document-faults.ts'
import { examplesOf, wrongExamplesOf } from '../../../packages/viewset/test/support/wrong-examples.ts'
import config from '../viewset.config.ts'

describe("the atlas's document", () => {
  let document: OpenApiDocument
  beforeAll(async () => {
    const options = { server: 'https://atlas.test/api', force: false, cwd: import.meta.dirname }
    document = JSON.parse(await openapi(config, options))
  })

  test('is right for two validators and a linter', async () => {
    expect(await faultsOf(document)).toEqual([])
  })

  test('has examples, each of which its schema accepts', () => {
    expect(examplesOf(document).length).toBeGreaterThan(20)
    expect(wrongExamplesOf(document)).toEqual([])
  })

  test('has examples of the values that a resource gives for its import template', () => {
    const { City, CityResponse } = document.components.schemas ?? {}
    const city = { name: 'Oslo', latitude: '59.91273', country: { code: 'NO', name: 'Norway' } }
    expect(City?.examples).toMatchObject([city])
    expect(CityResponse?.examples).toMatchObject([{ success: true, data: city }])
  })

  test('has a summary and a description of each operation', () => {
    const operations = Object.values(document.paths).flatMap(path => Object.values(path))
    expect(operations.filter(({ summary, description }) => !summary || !description)).toEqual([])
    expect(operations.filter(({ summary }) => String(summary).endsWith('.'))).toEqual([])
  })
})
