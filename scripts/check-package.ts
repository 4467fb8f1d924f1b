// Checks what a user would install: packs packages/viewset, lints the tarball, installs it into an empty folder with its
// peer dependencies, and there imports and type-checks every entry.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Manifest {
  name: string
  version: string
  exports: Record<string, unknown>
  peerDependencies: Record<string, string>
  peerDependenciesMeta: Record<string, { optional?: boolean }>
  devDependencies: Record<string, string>
}

const root = join(import.meta.dirname, '..')
const manifest: Manifest = JSON.parse(readFileSync(join(root, 'packages/viewset/package.json'), 'utf8'))
const folder = mkdtempSync(join(tmpdir(), 'viewset-package-'))

function run(command: string, args: string[], cwd = root): void {
  console.log(`\n> ${command} ${args.join(' ')}`)
  execFileSync(command, args, { cwd, stdio: 'inherit' })
}

/** Peer dependencies in the versions that the tests ran with. */
function pinnedPeers(wanted: 'required' | 'optional'): string[] {
  return Object.keys(manifest.peerDependencies)
    .filter(name => Boolean(manifest.peerDependenciesMeta[name]?.optional) === (wanted === 'optional'))
    .map(name => `${name}@${manifest.devDependencies[name]}`)
}

function install(...packages: string[]): void {
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', ...packages], folder)
}

/** Imports entries of the exports map and expects something in each. */
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
  run('npm', ['pack', '--loglevel=error', '--workspace', manifest.name, '--pack-destination', folder])
  const tarball = join(folder, `${manifest.name}-${manifest.version}.tgz`)
  run('publint', ['run', tarball, '--strict'])
  run('attw', [tarball, '--profile', 'esm-only'])

  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }')
  // Whoever uses one database and no Fastify must not need the other drivers, in tests neither.
  install(tarball, ...pinnedPeers('required'))
  tryEntries(['.', './testing'])
  install(...pinnedPeers('optional'))
  tryEntries(Object.keys(manifest.exports))
  tryCommand()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
