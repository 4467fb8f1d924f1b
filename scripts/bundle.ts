// Bundles packages/viewset/src into packages/viewset/dist, beside the declarations of the compiler: a few files in place of
// several hundred, since a process that starts pays for each module, whatever is in it (decisions/0033).
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { type BuildOptions, build, type Plugin } from 'esbuild'
import * as z from 'zod'

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly 'viewset-source': string }>>
  readonly imports: Readonly<Record<string, object>>
}

const home = join(import.meta.dirname, '../packages/viewset')
const src = join(home, 'src')
const dist = join(home, 'dist')
const manifest: Manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))

/** Files that a source names by their place: `new URL('./worker.js', import.meta.url)`. */
const BESIDE = /new URL\('(\.{1,2}\/[^']+)', import\.meta\.url\)/g
const CHECK_NODE = './check-node.js'

const shared: BuildOptions = {
  absWorkingDir: home,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.12',
  packages: 'external',
  outdir: dist,
  // Stack traces lead to the sources, which are in the package.
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
}

/** Everything lies in one folder there, so that a file is found from whichever chunk its source came into. */
function flatName(path: string): string {
  return relative(src, path).replaceAll('\\', '/').replaceAll('/', '-').replace(/\.ts$/, '.js')
}

/** The source of what a module names by its place: the compiled `worker.js` is `worker.ts` there. */
function sourceBeside(module: string, name: string): string {
  const path = join(dirname(module), name)
  return existsSync(path) ? path : path.replace(/\.js$/, '.ts')
}

function filesBeside(): string[] {
  const modules = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.ts'))
  return modules.flatMap(path => {
    const text = readFileSync(join(src, path), 'utf8')
    return [...text.matchAll(BESIDE)].map(([, name = '']) => sourceBeside(join(src, path), name))
  })
}

const besides: Plugin = {
  name: 'files-beside',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, ({ path }) => {
      const contents = readFileSync(path, 'utf8').replace(
        BESIDE,
        (_, name: string) => `new URL('./${flatName(sourceBeside(path, name))}', import.meta.url)`,
      )
      return { contents, loader: 'ts' }
    })
  },
}

const drizzleModules = new Set<string>()

/** Node takes Drizzle from its CommonJS files and bundlers from the others, by "imports" in package.json. */
const drizzle: Plugin = {
  name: 'drizzle',
  setup({ onResolve }) {
    onResolve({ filter: /^drizzle-orm(\/|$)/ }, ({ path }) => {
      drizzleModules.add(path)
      return { path: `#${path}`, external: true }
    })
  },
}

/** Node loads Zod with the first schema that is made, and bundlers take it along. */
const zod: Plugin = {
  name: 'zod',
  setup({ onResolve }) {
    onResolve({ filter: /^zod$/ }, () => ({ path: '#zod', external: true }))
  },
}

/** An import that stays one, of a file that is built by itself. */
function apart(filter: RegExp, path: string): Plugin {
  return {
    name: 'apart',
    setup({ onResolve }) {
      onResolve({ filter }, () => ({ path, external: true }))
    },
  }
}

/**
 * A chunk imports some others for the sake of their order alone, which says nothing where no module does anything but
 * define; a bundler of an application would warn of each.
 */
function leaveOutBareImports(): void {
  for (const file of readdirSync(dist).filter(each => each.endsWith('.js'))) {
    const text = readFileSync(join(dist, file), 'utf8')
    // The line stays, for the source map.
    writeFileSync(join(dist, file), text.replace(/^import "\.\/chunk-\w+\.js";$/gm, ''))
  }
}

/** Only what is used: Node would read all of Drizzle's files for the names of the others. */
function writeDrizzleModules(): void {
  for (const [name, used] of namesOfDrizzle()) {
    const file = join(dist, `${name}.cjs`)
    mkdirSync(dirname(file), { recursive: true })
    const lines = [...used].sort().map(each => `exports.${each} = drizzle.${each}\n`)
    // What is imported when it is needed takes what it wants.
    const text =
      used.size === 0
        ? `module.exports = require('${name}')\n`
        : `const drizzle = require('${name}')\n${lines.join('')}`
    writeFileSync(file, text)
  }
}

/** The names that the bundle imports, by the module of Drizzle's. */
function namesOfDrizzle(): Map<string, Set<string>> {
  const names = new Map([...drizzleModules].map(name => [name, new Set<string>()]))
  for (const file of readdirSync(dist).filter(each => each.endsWith('.js'))) {
    const text = readFileSync(join(dist, file), 'utf8')
    for (const [, list = '', name = ''] of text.matchAll(/import \{([^}]*)\} from "#(drizzle-orm[^"]*)"/g)) {
      for (const part of list.split(',')) names.get(name)?.add(part.trim().split(' ', 1)[0] ?? '')
    }
  }
  return names
}

/** A function for each of Zod's, which loads the module that `import 'zod'` of an application is. */
function writeZod(): void {
  const functions = Object.entries(z).filter(([name, value]) => /^[a-z]/.test(name) && typeof value === 'function')
  const text = `import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)
let zod

function load() {
  try {
    // Node requires modules as well, and this is the one that \`import 'zod'\` of an application leads to.
    zod = require(fileURLToPath(import.meta.resolve('zod')))
  } catch {
    zod = require('zod')
  }
  return zod
}

${functions.map(([name]) => `const ${name}_ = (...values) => (zod ?? load()).${name}(...values)`).join('\n')}

export const NEVER = ${JSON.stringify(z.NEVER)}
export {
${functions.map(([name]) => `  ${name}_ as ${name},`).join('\n')}
}
`
  writeFileSync(join(dist, 'zod.js'), text)
}

const entries = Object.values(manifest.exports).map(entry => join(home, entry['viewset-source']))
const beside = filesBeside()
const client = join(src, 'client.ts')
const entryPoints = [...entries.filter(path => path !== client), ...beside.filter(path => path.endsWith('.ts'))]

await build({
  ...shared,
  entryPoints: Object.fromEntries(
    [...entryPoints, join(src, 'cli/command-line.ts')].map(path => [flatName(path).replace(/\.js$/, ''), path]),
  ),
  splitting: true,
  plugins: [besides, drizzle, zod, apart(/\/check-node\.ts$/, CHECK_NODE)],
  // First of all that is evaluated, as in the sources: chunks come before what else an entry imports.
  banner: { js: `import '${CHECK_NODE}'` },
})
await build({ ...shared, entryPoints: [client] })
await build({ ...shared, entryPoints: [join(src, 'core/check-node.ts')] })
await build({
  ...shared,
  entryPoints: { cli: join(src, 'cli/main.ts') },
  plugins: [apart(/\/command-line\.ts$/, './cli-command-line.js')],
})
leaveOutBareImports()
writeDrizzleModules()
writeZod()
for (const path of beside) if (!path.endsWith('.ts')) cpSync(path, join(dist, flatName(path)))
