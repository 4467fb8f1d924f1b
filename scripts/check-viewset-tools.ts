// Checks packages/viewset-tools as npm would publish it. It packs the package and packages/viewset, lints the tarball,
// and installs both into an empty folder. Without the package, the command names it. With the package, its drafts
// compile.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const NAME = 'viewset-tools'
/** The packages of its user's project: viewset with its required peers, and a database driver. */
const BESIDE = ['drizzle-orm', 'zod', 'better-sqlite3']
const TABLES = `create table "order" (id integer primary key, customer_id int references customer(id));
create table customer (id integer primary key, name text)`
const CONFIG = `import { defineConfig } from 'viewset'
import { sqlite } from 'viewset/sqlite'
import { resources } from './drafted/resources/index.ts'
export default defineConfig({ resources, models: './drafted/schema.ts', database: () => sqlite('shop.db') })
`

const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), `${NAME}-package-`))
const { devDependencies }: { devDependencies: Record<string, string> } = JSON.parse(
  readFileSync(join(root, 'packages/viewset/package.json'), 'utf8'),
)

function run(command: string, args: readonly string[], cwd = root): void {
  console.log(`\n> ${command} ${args.join(' ')}`)
  execFileSync(command, args, { cwd, stdio: 'inherit' })
}

function pack(name: string): string {
  run('npm', ['run', 'build', '--workspace', name])
  const args = ['pack', '--silent', '--workspace', name, '--pack-destination', folder]
  return join(folder, execFileSync('npm', args, { cwd: root, encoding: 'utf8' }).trim())
}

function install(...packages: readonly string[]): void {
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...packages], folder)
}

function checkContents(tarball: string): void {
  const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n')
  const packed = files.map(path => path.replace(/^package\//, ''))
  const wanted = ['package.json', 'README.md', 'LICENSE', 'dist/index.js', 'src/index.ts']
  const missing = wanted.filter(path => !packed.includes(path))
  if (missing.length > 0) throw new Error(`the package lacks ${missing.join(', ')}`)
  const strangers = packed.filter(path => !wanted.includes(path) && !/^(dist|src)\//.test(path))
  if (strangers.length > 0) throw new Error(`the package has ${strangers.join(', ')}`)
  console.log(`packed ${packed.length} files`)
}

/** Without this package, each of its commands fails with one sentence. */
function checkRefusal(): void {
  const { stderr, status } = spawnSync('npx', ['viewset', 'index-advice'], { cwd: folder, encoding: 'utf8' })
  if (status !== 1 || !/^viewset index-advice needs .*npm install --save-dev viewset-tools\n$/.test(stderr)) {
    throw new Error(`without ${NAME}, the command says: ${stderr}`)
  }
}

/** Drafts resources from a database as a user would, and compiles them. */
function tryCommands(): void {
  const make = `new (await import('better-sqlite3')).default('shop.db').exec(${JSON.stringify(TABLES)}).pragma('journal_mode = wal')`
  run('node', ['--input-type=module', '--eval', make], folder)
  run('npx', ['viewset', 'inspect', '--url', 'shop.db', '--out', 'drafted'], folder)
  const strict = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--allowImportingTsExtensions']
  run('tsc', [...strict, '--ignoreConfig', 'drafted/resources/index.ts'], folder)
  writeFileSync(join(folder, 'viewset.config.ts'), CONFIG)
  run('npx', ['viewset', 'add', 'resource', 'customer', '--out', 'added'], folder)
  run('npx', ['viewset', 'index-advice', '--rows', '0'], folder)
}

try {
  const viewset = pack('viewset')
  const tarball = pack(NAME)
  checkContents(tarball)
  run('publint', ['run', tarball, '--strict'])
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  install(viewset, ...BESIDE.map(name => `${name}@${devDependencies[name]}`), '@types/node@24')
  checkRefusal()
  install('--save-dev', tarball)
  tryCommands()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
