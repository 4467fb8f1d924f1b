// Checks the package that a user would install. It packs packages/viewset, lints the tarball and installs it into an
// empty folder with its peer dependencies. There it imports and type-checks every entry, the example of its README, and
// the exports of an application.
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkStart } from './check-start.ts'
import { publicEntries } from './entries.ts'
import { forgottenExports } from './forgotten-exports.ts'

interface Manifest {
  name: string
  version: string
  exports: Record<string, unknown>
  peerDependencies: Record<string, string>
  peerDependenciesMeta: Record<string, { optional?: boolean }>
  devDependencies: Record<string, string>
}

/** The size of the package in bytes, and of an installation without optional packages. */
const LIMITS = { tarball: 3_000_000, installed: 32_000_000, packages: 20 }

const root = join(import.meta.dirname, '..')
const manifest: Manifest = JSON.parse(readFileSync(join(root, 'packages/viewset/package.json'), 'utf8'))
const rootManifest: Pick<Manifest, 'devDependencies'> = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'viewset-package-'))

function run(command: string, args: string[], cwd = root): void {
  console.log(`\n> ${command} ${args.join(' ')}`)
  execFileSync(command, args, { cwd, stdio: 'inherit' })
}

/** Peer dependencies in the versions of the tests. */
function pinnedPeers(wanted: 'required' | 'optional'): string[] {
  return Object.keys(manifest.peerDependencies)
    .filter(name => Boolean(manifest.peerDependenciesMeta[name]?.optional) === (wanted === 'optional'))
    .map(name => `${name}@${manifest.devDependencies[name]}`)
}

function install(...packages: string[]): void {
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...packages], folder)
}

/** Imports entries and expects an export in each. */
function tryEntries(subpaths: string[]): void {
  const specifiers = subpaths.map(subpath => manifest.name + subpath.slice(1))
  const imports = specifiers.map((specifier, index) => `import * as entry${index} from '${specifier}'`)
  const checks = specifiers.map(
    (specifier, index) => `if (!Object.keys(entry${index}).length) throw new Error('${specifier} exports nothing')`,
  )
  writeFileSync(join(folder, 'smoke.mts'), [...imports, ...checks, ''].join('\n'))
  run('node', ['smoke.mts'], folder)
  run('tsc', ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', 'smoke.mts'], folder)
  console.log(`imported ${specifiers.join(', ')}`)
}

/** The tarball has all expected files and no others. */
function checkContents(tarball: string): void {
  const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(path => path.replace(/^package\//, ''))
  const wanted = ['package.json', 'README.md', 'LICENSE', 'dist/index.js', 'dist/index.d.ts', 'src/index.ts']
  const missing = wanted.filter(path => !files.includes(path))
  if (missing.length > 0) throw new Error(`the package lacks ${missing.join(', ')}`)
  const strangers = files.filter(path => !wanted.includes(path) && !/^(dist|src)\//.test(path))
  if (strangers.length > 0) throw new Error(`the package has ${strangers.join(', ')}`)
  const { size } = statSync(tarball)
  if (size > LIMITS.tarball) throw new Error(`the package has ${size} bytes, and ${LIMITS.tarball} are its limit`)
  console.log(`packed ${files.length} files, ${size} bytes`)
}

/** The files after `npm install` of the package with its required peers. */
function checkInstalled(): void {
  const modules = join(folder, 'node_modules')
  const lock: { packages: object } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8'))
  const packages = Object.keys(lock.packages).length
  const files = readdirSync(modules, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  const bytes = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
  if (packages > LIMITS.packages || bytes > LIMITS.installed) {
    const limits = `${LIMITS.packages} and ${LIMITS.installed}`
    throw new Error(`an install brings ${packages} packages with ${bytes} bytes; the limits are ${limits}`)
  }
  console.log(`installed ${packages} packages, ${bytes} bytes`)
}

/** Rejects a type that a public signature mentions and that no entry exports. */
function checkSurface(): void {
  const entries = publicEntries(manifest).map(subpath => `${subpath === '.' ? 'index' : subpath.slice(2)}.d.ts`)
  const forgotten = forgottenExports(join(root, 'packages/viewset/dist'), entries)
  if (forgotten.length > 0) throw new Error(`no entry exports these types:\n${forgotten.join('\n')}`)
  console.log('every type that is mentioned can be named')
}

/** Type-checks the example of the package's README with the tsconfig that it shows. */
function compileReadme(): void {
  const readme = readFileSync(join(root, 'packages/viewset/README.md'), 'utf8')
  const example = join(folder, 'example')
  mkdirSync(example)
  for (const [, name = '', code = ''] of readme.matchAll(/^```ts file=(\S+)\n(.*?)^```/gms)) {
    writeFileSync(join(example, name), code)
  }
  writeFileSync(join(example, 'tsconfig.json'), /^```jsonc\n(.*?)^```/ms.exec(readme)?.[1] ?? '')
  writeFileSync(join(example, 'package.json'), '{ "type": "module" }')
  // A view has the type of the server's request wherever an application imports the face.
  writeFileSync(
    join(example, 'native.ts'),
    `import type { ApiRequest } from '${manifest.name}'\nexport const ip = ({ native }: ApiRequest): string => native.ip\n`,
  )
  run('tsc', ['-p', example], folder)
  console.log('compiled the example of README.md')
}

/** Compiles the exports of an application with `declaration: true`, with both module resolutions. */
function tryDeclarations(): void {
  cpSync(join(root, 'packages/viewset/test/types/consumer'), join(folder, 'consumer'), {
    recursive: true,
    filter: path => !path.endsWith('.json'),
  })
  const strict = ['--strict', '--exactOptionalPropertyTypes', '--target', 'es2023', '--lib', 'es2024,esnext.disposable']
  for (const resolution of ['nodenext', 'bundler']) {
    const module = resolution === 'bundler' ? 'esnext' : resolution
    const how = ['--types', 'node', '--module', module, '--moduleResolution', resolution]
    writeFileSync(join(folder, 'tsconfig.json'), '{ "include": ["consumer"] }')
    const args = [
      ...strict,
      ...how,
      '--declaration',
      '--emitDeclarationOnly',
      '--rootDir',
      'consumer',
      '--outDir',
      `declared-${resolution}`,
    ]
    const { stdout } = spawnSync('tsc', ['-p', '.', '--skipLibCheck', 'false', ...args], {
      cwd: folder,
      encoding: 'utf8',
    })
    // Errors in declarations of other packages do not count: drizzle-orm's name drivers that are not installed.
    const problems = stdout.split('\n').filter(line => {
      const [, path] = /^(\S+)\(\d+,\d+\): error /.exec(line) ?? []
      return (
        path !== undefined && (!path.includes('node_modules/') || path.startsWith(`node_modules/${manifest.name}/`))
      )
    })
    if (problems.length > 0) throw new Error(`declarations do not compile (${resolution}):\n${problems.join('\n')}`)
    // Fails if the compiler did not write this file.
    readFileSync(join(folder, `declared-${resolution}`, 'app.d.ts'))
    console.log(`declared what an application exports (${resolution})`)
  }
}

/** Runs the package's command on a configuration in TypeScript, as a user would. */
function tryCommand(): void {
  writeFileSync(
    join(folder, 'viewset.config.ts'),
    `import { AllowAny, BaseModelSerializer, defineConfig, ImportableViewSet, importModel } from '${manifest.name}'
    import { kit } from '${manifest.name}/sqlite'

    const authors = kit.table('authors', { id: kit.uuid().primaryKey(), name: kit.text(50).notNull() })
    class AuthorViewSet extends ImportableViewSet({
      model: authors,
      serializer: BaseModelSerializer(authors, { fields: ['id', 'name'] }),
      permissionClasses: [AllowAny],
      importFileConfig: {
        fileFormat: 'csv',
        order: ['authors'],
        models: { authors: importModel({ model: authors, fields: ['id', 'name'], uniqueFields: ['id'] }) },
      },
    }) {}
    export default defineConfig({ resources: { AuthorViewSet } })
    `,
  )
  run(
    'npx',
    ['viewset', 'generate-import-template', 'AuthorViewSet', '--format', 'csv', '--output', 'authors.csv'],
    folder,
  )
  const [header] = readFileSync(join(folder, 'authors.csv'), 'utf8').split('\r\n')
  if (header !== 'id,name') throw new Error(`the template begins with "${header}"`)
}

try {
  run('npm', ['run', 'build'])
  checkSurface()
  run('npm', ['pack', '--loglevel=error', '--workspace', manifest.name, '--pack-destination', folder])
  const tarball = join(folder, `${manifest.name}-${manifest.version}.tgz`)
  checkContents(tarball)
  run('publint', ['run', tarball, '--strict'])
  run('attw', [tarball, '--profile', 'esm-only'])

  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  // An application with one database and without Fastify must not need the other drivers, also in tests.
  install(tarball, ...pinnedPeers('required'))
  checkInstalled()
  tryEntries(['.', './testing'])
  // README.md asks users of TypeScript to install Node's types.
  install(...pinnedPeers('optional'), '@types/node@24')
  tryEntries(Object.keys(manifest.exports))
  const typed = { ...rootManifest.devDependencies, ...manifest.devDependencies }
  install(`esbuild@${typed.esbuild}`)
  await checkStart(folder, root)
  // Users of these packages in TypeScript install their types too.
  install(...['@types/node', '@types/pg', '@types/better-sqlite3'].map(name => `${name}@${typed[name]}`))
  tryDeclarations()
  tryCommand()
  compileReadme()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
