import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openSqlite } from '../../src/database.ts'
import { startSmallAtlas } from '../support/small-atlas.ts'

const TOOLS = join(import.meta.dirname, '../../contract')
const SETTINGS = ['spectral.yaml', 'redocly.yaml', 'portman.yaml', 'filter.yaml']
const BIG = { maxBuffer: 100 * 1024 ** 2 }

/** When a file of the tools was written, or 0 without it. */
function writtenAt(path: string): number {
  return statSync(join(TOOLS, path), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

interface NewmanReport {
  readonly run: {
    readonly stats: Readonly<Record<'requests' | 'assertions', { readonly total: number; readonly failed: number }>>
    readonly failures: readonly {
      readonly source: { readonly name: string }
      readonly error: { readonly test: string; readonly message: string }
    }[]
  }
}

describe("tools of others find nothing wrong with the atlas's document", () => {
  let folder: string
  let app: FastifyInstance
  let origin: string

  beforeAll(async () => {
    // The second is npm's own note of what it has installed.
    if (writtenAt('package-lock.json') > writtenAt('node_modules/.package-lock.json')) {
      await promisify(execFile)('npm', ['ci', '--no-audit', '--no-fund'], { cwd: TOOLS, ...BIG })
    }
    folder = await mkdtemp(join(tmpdir(), 'atlas-document-'))
    await Promise.all(SETTINGS.map(name => cp(join(TOOLS, name), join(folder, name))))
    const started = await startSmallAtlas(await openSqlite(join(folder, 'data')))
    app = started.app
    origin = started.origin
    await writeFile(join(folder, 'openapi.json'), await (await fetch(`${origin}/api/openapi.json`)).text())
  }, 10 * 60_000)
  afterAll(async () => {
    await app?.close()
    await rm(folder, { recursive: true })
  })

  /** Runs a tool beside its settings. A tool that has found something ends with an error, and prints it all the same. */
  async function run(bin: string, ...parameters: readonly string[]): Promise<string> {
    const env = { ...process.env, REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', REDOCLY_TELEMETRY: 'off' }
    const { stdout } = await promisify(execFile)(process.execPath, [join(TOOLS, 'node_modules', bin), ...parameters], {
      cwd: folder,
      env,
      ...BIG,
    }).catch((failed: { readonly stdout: string }) => failed)
    return stdout
  }

  test('Spectral, by all of its rules for OpenAPI', async () => {
    const options = ['--ruleset', 'spectral.yaml', '--fail-severity', 'hint', '--format', 'json', '--quiet']
    const found = await run('@stoplight/spectral-cli/dist/index.js', 'lint', 'openapi.json', ...options)
    expect(JSON.parse(found)).toEqual([])
  })

  test('Redocly, by its strict rules and those about examples', async () => {
    const options = ['--config', 'redocly.yaml', '--format', 'json', '--max-problems', '1000']
    const found = JSON.parse(await run('@redocly/cli/bin/cli.js', 'lint', 'openapi.json', ...options))
    expect(found).toMatchObject({ problems: [], totals: { errors: 0, warnings: 0, ignored: 0 } })
  })

  test('Portman, which asks the atlas by the examples and holds its answers to the schemas', async () => {
    const report = join(folder, 'report.json')
    const newman = { abortOnFailure: false, reporters: ['json'], reporter: { json: { export: report } } }
    await writeFile(join(folder, 'newman.json'), JSON.stringify(newman))
    const output = await run(
      '@apideck/portman/bin/portman',
      ...['--local', 'openapi.json', '--baseUrl', `${origin}/api`, '--output', 'collection.json'],
      ...['--portmanConfigFile', 'portman.yaml', '--filterFile', 'filter.yaml'],
      ...['--runNewman', '--newmanOptionsFile', 'newman.json'],
    )
    expect(output).toContain('Collection run completed.')
    const { stats, failures }: NewmanReport['run'] = JSON.parse(await readFile(report, 'utf8')).run
    expect(failures.map(({ source, error }) => [source.name, error.test, error.message])).toEqual([])
    expect([stats.requests.total > 80, stats.assertions.total > 300]).toEqual([true, true])
  })
})
