// Checks packages/viewset-faces as npm would publish it. It packs the package and packages/viewset, lints the tarball,
// and installs both into an empty folder. There it compiles and runs the example of its README. The package can only
// import the public entries of viewset, because no other file is there.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forgottenExports } from './forgotten-exports.ts'

const NAME = 'viewset-faces'
/** The packages of its user's project: viewset with its required peers, and those of a test database. */
const BESIDE = ['drizzle-orm', 'zod', 'better-sqlite3', 'drizzle-kit']

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

function checkContents(tarball: string): void {
  const files = execFileSync('tar', ['-tzf', tarball], { encoding: 'utf8' }).trim().split('\n')
  const packed = files.map(path => path.replace(/^package\//, ''))
  const wanted = ['package.json', 'README.md', 'LICENSE', 'dist/index.js', 'dist/index.d.ts', 'src/index.ts']
  const missing = wanted.filter(path => !packed.includes(path))
  if (missing.length > 0) throw new Error(`the package lacks ${missing.join(', ')}`)
  const strangers = packed.filter(path => !wanted.includes(path) && !/^(dist|src)\//.test(path))
  if (strangers.length > 0) throw new Error(`the package has ${strangers.join(', ')}`)
  console.log(`packed ${packed.length} files`)
}

/** Compiles the example of the README, and tests a face with all rules. */
function runReadme(): void {
  const readme = readFileSync(join(root, 'packages', NAME, 'README.md'), 'utf8')
  writeFileSync(join(folder, 'face.test.ts'), /^```ts\n(.*?)^```/ms.exec(readme)?.[1] ?? '')
  const strict = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--types', 'node']
  run('tsc', ['--ignoreConfig', ...strict, 'face.test.ts'], folder)
  run('node', ['--test', '--test-reporter=dot', 'face.test.ts'], folder)
}

try {
  const viewset = pack('viewset')
  const tarball = pack(NAME)
  const forgotten = forgottenExports(join(root, 'packages', NAME, 'dist'), ['index.d.ts'])
  if (forgotten.length > 0) throw new Error(`the package does not export these types:\n${forgotten.join('\n')}`)
  checkContents(tarball)
  run('publint', ['run', tarball, '--strict'])
  run('attw', [tarball, '--profile', 'esm-only'])
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  const pinned = BESIDE.map(name => `${name}@${devDependencies[name]}`)
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  run('npm', ['install', ...quiet, viewset, tarball, ...pinned, '@types/node@24'], folder)
  runReadme()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
