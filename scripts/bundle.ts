// Bundles packages/viewset/src into packages/viewset/dist/bundle, beside the compiler's output. A process pays for each
// module that it loads, so a few files replace several hundred. Bundlers of applications use the compiler's modules
// instead (condition "module") and remove unused ones. See decisions/0033.

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { type BuildOptions, build, type Plugin, transform } from 'esbuild'

interface Manifest {
  /** Entries with a `module` for bundlers are bundled for Node. */
  readonly exports: Readonly<Record<string, { readonly 'viewset-source': string; readonly module?: string }>>
}

const home = join(import.meta.dirname, '../packages/viewset')
const src = join(home, 'src')
const dist = join(home, 'dist')
const target = join(dist, 'bundle')
const manifest: Manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'))

/** Files that a source names by their place: `new URL('./pdf-worker.js', import.meta.url)`. Comments do not count. */
const BESIDE = /(?<!`)new URL\('(\.\/[^']+)', import\.meta\.url\)/g
const CHECK_NODE = './check-node.js'

const shared: BuildOptions = {
  absWorkingDir: home,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.12',
  packages: 'external',
  outdir: target,
  // Stack traces lead to the sources in the package.
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'warning',
}

/** The files that sources name by their place. All output is in one folder, so they are beside every chunk. */
function filesBeside(): string[] {
  const modules = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(path => path.endsWith('.ts'))
  const files = modules.flatMap(module => {
    const text = readFileSync(join(src, module), 'utf8')
    return [...text.matchAll(BESIDE)].map(([, name = '']) => {
      const path = join(src, dirname(module), name)
      return existsSync(path) ? path : path.replace(/\.js$/, '.ts')
    })
  })
  const names = files.map(path => basename(path, '.ts'))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new Error(`two files are called ${twice}, and one folder cannot have both`)
  return files
}

const drizzleModules = new Set<string>()

/** Node reads Drizzle's CommonJS files much faster. */
const drizzle: Plugin = {
  name: 'drizzle',
  setup({ onResolve }) {
    onResolve({ filter: /^drizzle-orm(\/|$)/ }, ({ path }) => {
      drizzleModules.add(path)
      return { path: `./${path}.cjs`, external: true }
    })
  },
}

/** Zod is loaded with the first schema. */
const zod: Plugin = {
  name: 'zod',
  setup({ onResolve }) {
    onResolve({ filter: /^zod$/ }, () => ({ path: './zod.js', external: true }))
  },
}

/** Keeps an import of a file that is built separately. */
function apart(filter: RegExp, path: string): Plugin {
  return {
    name: 'apart',
    setup({ onResolve }) {
      onResolve({ filter }, () => ({ path, external: true }))
    },
  }
}

/** Only bundlers read these modules. People read the sources, and editors read the declarations. */
async function shrinkModules(): Promise<void> {
  const modules = readdirSync(dist, { recursive: true, encoding: 'utf8' })
  for (const path of modules.filter(each => each.endsWith('.js') && !each.startsWith('bundle'))) {
    const { code } = await transform(readFileSync(join(dist, path), 'utf8'), {
      target: 'esnext',
      minifyWhitespace: true,
    })
    writeFileSync(join(dist, path), code)
  }
}

/** Contains only the used names. For the other names, Node would read all of Drizzle's files. */
function writeDrizzleModules(): void {
  for (const [name, used] of namesOfDrizzle()) {
    const file = join(target, `${name}.cjs`)
    mkdirSync(dirname(file), { recursive: true })
    const lines = [...used].sort().map(each => `exports.${each} = drizzle.${each}\n`)
    // A dynamic import can use any name.
    const text =
      used.size === 0
        ? `module.exports = require('${name}')\n`
        : `const drizzle = require('${name}')\n${lines.join('')}`
    writeFileSync(file, text)
  }
}

/** The imported names of each Drizzle module. */
function namesOfDrizzle(): Map<string, Set<string>> {
  const names = new Map([...drizzleModules].map(name => [name, new Set<string>()]))
  for (const file of readdirSync(target).filter(each => each.endsWith('.js'))) {
    const text = readFileSync(join(target, file), 'utf8')
    for (const [, list = '', name = ''] of text.matchAll(/import \{([^}]*)\} from "\.\/(drizzle-orm[^"]*)\.cjs"/g)) {
      for (const part of list.split(',')) names.get(name)?.add(part.trim().split(' ', 1)[0] ?? '')
    }
  }
  return names
}

/** A function for each function of Zod. It loads the same module as `import 'zod'` in an application. */
function writeZod(): void {
  const zod: Readonly<Record<string, unknown>> = createRequire(join(home, 'package.json'))('zod')
  const functions = Object.entries(zod).filter(([name, value]) => /^[a-z]/.test(name) && typeof value === 'function')
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

export const NEVER = ${JSON.stringify(zod.NEVER)}
export {
${functions.map(([name]) => `  ${name}_ as ${name},`).join('\n')}
}
`
  writeFileSync(join(target, 'zod.js'), text)
  checkZod(new Set(['NEVER', ...functions.map(([name]) => name)]))
}

/** @throws Error for a member of Zod that the bundle uses and that is no function, such as a class for `instanceof` */
function checkZod(exported: ReadonlySet<string>): void {
  for (const file of readdirSync(target).filter(each => each.endsWith('.js'))) {
    const text = readFileSync(join(target, file), 'utf8')
    for (const [, name = ''] of text.matchAll(/import \* as (\w+) from "\.\/zod\.js"/g)) {
      for (const [, member = ''] of text.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))) {
        if (!exported.has(member)) throw new Error(`${file} uses z.${member}, which the bundle does not load`)
      }
    }
  }
}

const entries = Object.values(manifest.exports)
  .filter(entry => entry.module !== undefined)
  .map(entry => join(home, entry['viewset-source']))
const beside = filesBeside()
const workers = beside.filter(path => path.endsWith('.ts'))

await shrinkModules()
await build({
  ...shared,
  entryPoints: Object.fromEntries(
    [...entries, ...workers, join(src, 'cli/command-line.ts')].map(path => [basename(path, '.ts'), path]),
  ),
  splitting: true,
  plugins: [drizzle, zod, apart(/\/check-node\.ts$/, CHECK_NODE)],
  // Runs first, as in the sources: chunks run before the other imports of an entry.
  banner: { js: `import '${CHECK_NODE}'` },
})
await build({ ...shared, entryPoints: [join(src, 'core/check-node.ts')] })
await build({
  ...shared,
  entryPoints: { cli: join(src, 'cli/main.ts') },
  plugins: [apart(/\/command-line\.ts$/, './command-line.js')],
})
writeDrizzleModules()
writeZod()
for (const path of beside.filter(each => !workers.includes(each))) {
  cpSync(path, join(target, basename(path)))
  // The compiler copies TypeScript files only.
  cpSync(path, join(dist, relative(src, path)))
}
