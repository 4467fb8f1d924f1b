import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import manifest from '../../package.json' with { type: 'json' }

const esbuild = join(import.meta.dirname, '../../../../node_modules/.bin/esbuild')
const packageRoot = join(import.meta.dirname, '../..')

/** One file, what it is made of, and what it imports. */
export interface Bundle {
  readonly code: string
  /** The files of this package of which something is in it. */
  readonly inputs: readonly string[]
  readonly imports: readonly string[]
}

interface Metafile {
  readonly inputs: object
  readonly outputs: Readonly<
    Record<
      string,
      {
        readonly inputs: Readonly<Record<string, { readonly bytesInOutput: number }>>
        readonly imports: readonly { readonly path: string }[]
      }
    >
  >
}

/** The client as a page loads it: one file, for no platform in particular, and what it is made of. */
export async function bundledClient(): Promise<Pick<Bundle, 'code' | 'inputs'>> {
  const { code, meta } = await bundle(join(packageRoot, 'src/client.ts'), ['--platform=neutral', '--target=es2022'])
  return { code, inputs: Object.keys(meta.inputs) }
}

/** What a server's bundler makes of a line that imports this package; other packages stay outside. */
export async function bundledServer(line: string): Promise<Bundle> {
  const folder = await mkdtemp(join(packageRoot, '.bundle-'))
  try {
    await writeFile(join(folder, 'entry.ts'), line)
    const options = ['--platform=node', '--target=node22', '--conditions=viewset-source']
    const external = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
    const { code, meta } = await bundle(join(folder, 'entry.ts'), [
      ...options,
      ...external.flatMap(name => [`--external:${name}`, `--external:${name}/*`]),
    ])
    const outputs = Object.values(meta.outputs)
    const inputs = outputs.flatMap(({ inputs: made }) =>
      Object.entries(made).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? path : [])),
    )
    return {
      code,
      inputs: inputs.flatMap(path => /(?:^|\/)src\/(.*)$/.exec(path)?.[1] ?? []).sort(),
      imports: [...new Set(outputs.flatMap(({ imports }) => imports.map(({ path }) => path)))].sort(),
    }
  } finally {
    await rm(folder, { recursive: true })
  }
}

async function bundle(entry: string, options: readonly string[]): Promise<{ code: string; meta: Metafile }> {
  const folder = await mkdtemp(join(tmpdir(), 'viewset-bundle-'))
  try {
    const output = join(folder, 'bundle.mjs')
    const metafile = join(folder, 'meta.json')
    const common = ['--bundle', '--minify', '--format=esm', `--outfile=${output}`, `--metafile=${metafile}`]
    await promisify(execFile)(esbuild, [entry, ...common, ...options], { cwd: packageRoot })
    return { code: await readFile(output, 'utf8'), meta: JSON.parse(await readFile(metafile, 'utf8')) }
  } finally {
    await rm(folder, { recursive: true })
  }
}
