import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { AllowAny, BulkViewSet } from 'viewset'
import type { createClient } from 'viewset/client'
import { describe, expect, test } from 'vitest'
import { bundledClient } from '../support/bundle.ts'
import { useClient } from '../support/client.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { models } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

/** Bytes, compressed, that a page may load for it. */
const LIMIT = 4_608

describe('the bundled client', () => {
  const tables = models(sqliteDialect.kit)
  const resources = {
    authors: BulkViewSet({
      model: tables.authors,
      serializer: serializers(tables).AuthorReference,
      permissionClasses: [AllowAny],
    }),
  }
  const listening = useClient(sqliteDialect, { tables, resources })

  test(`is smaller than ${LIMIT} bytes`, async () => {
    const size = gzipSync((await bundledClient()).code).length
    expect(size).toBeGreaterThan(1_000)
    expect(size).toBeLessThan(LIMIT)
  })

  test('has nothing of the server in it, and names nothing of Node', async () => {
    const { code, inputs } = await bundledClient()
    expect(inputs.filter(path => !/src\/client(\.ts|\/)/.test(path))).toEqual([])
    expect(code).not.toMatch(/\b(Buffer|process|require)\b|import\(/)
  })

  test('asks an API without anything beside it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'viewset-client-'))
    try {
      await writeFile(join(folder, 'client.mjs'), (await bundledClient()).code)
      const bundled: { createClient: typeof createClient } = await import(
        pathToFileURL(join(folder, 'client.mjs')).href
      )
      const { authors } = bundled.createClient<typeof resources>({ baseUrl: listening.baseUrl })
      const { id } = await authors.create({ name: 'Ada' })
      expect(await authors.list()).toEqual({
        items: [{ id, name: 'Ada', index: 1 }],
        count: 1,
        next: null,
        previous: null,
      })
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
