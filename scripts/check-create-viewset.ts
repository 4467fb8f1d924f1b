// Checks packages/create-viewset as npm would publish it: packs it, compares the tarball with the expected files, lints
// it, and lets it write a project. `npm run test:long` installs and runs such projects.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const NAME = 'create-viewset'
const root = join(import.meta.dirname, '..')
const folder = mkdtempSync(join(tmpdir(), `${NAME}-package-`))

function run(command: string, args: readonly string[], cwd = root): void {
  console.log(`\n> ${command} ${args.join(' ')}`)
  execFileSync(command, args, { cwd, stdio: 'inherit' })
}

function lines(command: string, args: readonly string[], cwd = root): readonly string[] {
  return execFileSync(command, args, { cwd, encoding: 'utf8' }).trim().split('\n')
}

/** npm leaves out some files of a package, such as a file called .gitignore. */
function checkContents(tarball: string): void {
  const packed = lines('tar', ['-tzf', tarball]).map(path => path.replace(/^package\//, ''))
  const templates = lines('git', ['ls-files', 'templates'], join(root, 'packages', NAME))
  const wanted = ['package.json', 'README.md', 'LICENSE', 'dist/main.js', ...templates]
  const missing = wanted.filter(path => !packed.includes(path))
  if (missing.length > 0) throw new Error(`the package lacks ${missing.join(', ')}`)
  const strangers = packed.filter(path => !wanted.includes(path) && !path.startsWith('dist/'))
  if (strangers.length > 0) throw new Error(`the package has ${strangers.join(', ')}`)
  console.log(`packed ${packed.length} files`)
}

try {
  run('npm', ['run', 'build', '--workspace', NAME])
  run('npm', ['pack', '--loglevel=error', '--workspace', NAME, '--pack-destination', folder])
  const [tarball = ''] = lines('find', [folder, '-name', '*.tgz'])
  checkContents(tarball)
  run('publint', ['run', tarball, '--strict'])
  run('npm', ['exec', '--yes', '--package', tarball, '--', NAME, 'shop', '--no-install'], folder)
  if (!existsSync(join(folder, 'shop/package.json'))) throw new Error('it has written no project')
} finally {
  rmSync(folder, { recursive: true, force: true })
}
