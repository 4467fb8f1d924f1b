import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const esbuild = join(import.meta.dirname, '../../../../node_modules/.bin/esbuild')
const entry = join(import.meta.dirname, '../../src/client.ts')

/** The client as a page loads it: one file, for no platform in particular, and what it is made of. */
export async function bundledClient(): Promise<{ readonly code: string; readonly inputs: readonly string[] }> {
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
