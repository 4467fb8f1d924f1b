// Publishes the packages with their provenance: npm run publish:packages -- --tag v0.2.0 [--dry-run]
//
// The workflow publish.yml runs it for a tag. npm then signs the commit and the workflow of each package.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly repository?: { readonly url?: string }
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const PACKAGES = ['viewset', 'viewset-faces', 'viewset-tools', 'create-viewset']

const root = join(import.meta.dirname, '..')
const { values } = parseArgs({ options: { tag: { type: 'string' }, 'dry-run': { type: 'boolean', default: false } } })

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
}

/** The problem of a package, in a sentence. */
function problemOf({ name, version, repository, peerDependencies }: Manifest): string | undefined {
  if (values.tag !== `v${version}`) return `${name} is ${version}, and the tag is ${values.tag ?? 'not given (--tag)'}.`
  const peer = peerDependencies?.viewset ?? version
  if (peer !== version) return `${name} is ${version}, and asks for viewset ${peer}.`
  const { repository: own } = manifestIn('.')
  // npm rejects a provenance from another repository than the package's own.
  if (repository?.url !== own?.url) return `${name} says that it is from ${repository?.url}, and this is ${own?.url}.`
  return undefined
}

/** An interrupted run can be repeated: published packages are skipped. */
function isPublished({ name, version }: Manifest): boolean {
  return spawnSync('npm', ['view', `${name}@${version}`, 'version'], { encoding: 'utf8' }).stdout.trim() === version
}

const manifests = PACKAGES.map(name => manifestIn(join('packages', name)))
const problems = manifests.flatMap(manifest => problemOf(manifest) ?? [])
if (problems.length > 0) {
  console.error(problems.join('\n'))
  process.exitCode = 1
} else {
  for (const manifest of manifests) {
    const { name } = manifest
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
