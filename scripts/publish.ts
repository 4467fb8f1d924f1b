// Publishes the packages with their provenance: npm run publish:packages -- --tag v0.2.0 [--dry-run]
//
// The workflow publish.yml runs it for a tag. npm then signs the commit and the workflow of each package.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const PACKAGES = ['viewset', 'viewset-faces', 'viewset-tools', 'create-viewset']

const root = join(import.meta.dirname, '..')
const { values } = parseArgs({ options: { tag: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } } })

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
}

/** The problem of a package, in a sentence. */
function problemOf({ name, version, peerDependencies }: Manifest): string | undefined {
  if (values.tag !== `v${version}`) return `${name} is ${version}, and the tag is ${values.tag ?? 'not given (--tag)'}.`
  const peer = peerDependencies?.viewset ?? version
  if (peer !== version) return `${name} is ${version}, and asks for viewset ${peer}.`
  return undefined
}

interface Repository {
  readonly type: string
  readonly url: string
}

/** The address of the repository, which stands in the root's package.json only. */
function readRepository(): Repository | undefined {
  return (manifestIn('.') as { readonly repository?: Repository }).repository
}

/** Writes the address into a package's manifest: npm rejects a provenance from another repository than the package's own. */
function writeRepository(name: string, { type, url }: Repository): void {
  const path = join(root, 'packages', name, 'package.json')
  const page = url.replace(/^git\+|\.git$/g, '')
  const repository = { type, url, directory: `packages/${name}` }
  const manifest = {
    ...manifestIn(join('packages', name)),
    homepage: `${page}#readme`,
    bugs: `${page}/issues`,
    repository,
  }
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`)
}

/** An interrupted run can be repeated: published packages are skipped. */
function isPublished({ name, version }: Manifest): boolean {
  return spawnSync('npm', ['view', `${name}@${version}`, 'version'], { encoding: 'utf8' }).stdout.trim() === version
}

const manifests = PACKAGES.map(name => manifestIn(join('packages', name)))
const repository = readRepository()
const problems = manifests.flatMap(manifest => problemOf(manifest) ?? [])
if (!repository && !values['dry-run']) problems.push('Set "repository" in the package.json of the root: npm signs it.')
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
} else {
  for (const manifest of manifests) {
    const { name } = manifest
    if (repository) writeRepository(name, repository)
    execFileSync('npm', ['run', 'build', '--workspace', name], { cwd: root, stdio: 'inherit' })
    // Only a workflow has an identity for the signature.
    const how = values['dry-run'] ? ['--dry-run'] : ['--provenance']
    if (!values['dry-run'] && isPublished(manifest)) console.log(`${name}@${manifest.version} is published already`)
    else {
      const args = ['publish', '--workspace', name, '--access', 'public', ...how]
      execFileSync('npm', args, { cwd: root, stdio: 'inherit' })
    }
  }
}
