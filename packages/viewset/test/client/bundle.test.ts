import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { AllowAny, BulkViewSet } from 'viewset'
import type { createClient } from 'viewset/client'
import { describe, expect, test } from 'vitest'
import { useClient } from '../support/client.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { models } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

/** Bytes, compressed, that a page may load for it. */
const LIMIT = 4_096
const esbuild = join(import.meta.dirname, '../../../../node_modules/.bin/esbuild')
const entry = join(import.meta.dirname, '../../src/client.ts')

/** The client as a page loads it: one file, for no platform in particular, and what it is made of. */
async function bundle(): Promise<{ readonly code: string; readonly inputs: readonly string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'viewset-bundle-'))
  try {
    const output = join(folder, 'client.mjs')
    const metafile = join(folder, 'meta.json')
    const options = ['--bundle', '--minify', '--format=esm', '--target=es2022', '--platform=neutral']
    await promisify(execFile)(esbuild, [entry, ...options, `--outfile=${output}`, `--metafile=${metafile}`])
    const { inputs }: { inputs: object } = JSON.parse(await readFile(metafile, 'utf8'))
    return { code: await readFile(output, 'utf8'), inputs: Object.keys(inputs) }
  } finally {
    await rm(folder, { recursive: true })
  }
}

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
    const size = gzipSync((await bundle()).code).length
    expect(size).toBeGreaterThan(1_000)
    expect(size).toBeLessThan(LIMIT)
  })

  test('has nothing of the server in it, and names nothing of Node', async () => {
    const { code, inputs } = await bundle()
    expect(inputs.filter(path => !/src\/client(\.ts|\/)/.test(path))).toEqual([])
    expect(code).not.toMatch(/\b(Buffer|process|require)\b|import\(/)
  })

  test('asks an API without anything beside it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'viewset-client-'))
    try {
      await writeFile(join(folder, 'client.mjs'), (await bundle()).code)
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
