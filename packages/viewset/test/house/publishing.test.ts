import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { packageRoot } from '../support/command.ts'

const root = join(packageRoot, '../..')
const read = (path: string) => readFile(join(root, path), 'utf8')

const PACKAGES = ['viewset', 'viewset-faces', 'viewset-tools', 'create-viewset']

test('the packages have a licence and keywords, and the address of the repository stands in the root at most', async () => {
  for (const name of PACKAGES) {
    const manifest = JSON.parse(await read(`packages/${name}/package.json`))
    expect(manifest).toMatchObject({ license: 'MIT', keywords: expect.arrayContaining(['rest', 'api']) })
    expect(['repository', 'homepage', 'bugs'].filter(key => key in manifest)).toEqual([])
  }
})

test('without the address of a repository, nothing is published', async () => {
  const { repository } = JSON.parse(await read('package.json')) as { readonly repository?: object }
  const { stderr } = spawnSync(process.execPath, ['scripts/publish.ts', '--tag', 'v99.0.0'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect(stderr.includes('Set "repository" in the package.json of the root')).toBe(repository === undefined)
})

test.each(['viewset-faces', 'viewset-tools'])('%s is for the viewset of its own version', async name => {
  const { version } = manifest
  const other = JSON.parse(await read(`packages/${name}/package.json`))
  expect(other).toMatchObject({ version, peerDependencies: { viewset: version } })
})

test('a tag that is no version of the packages publishes nothing', () => {
  const { status, stderr, stdout } = spawnSync(process.execPath, ['scripts/publish.ts', '--tag', 'v99.0.0'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toContain(`viewset is ${manifest.version}, and the tag is v99.0.0.\n`)
})

test('the workflows run what CI runs, and nothing is published but by the identity of a tag', async () => {
  expect(await read('.github/workflows/ci.yml')).toContain('run: bash .ci/run')
  const publish = await read('.github/workflows/publish.yml')
  expect(publish).toMatch(/^on:\n {2}push:\n {4}tags: \['v\*'\]\n\n/m)
  expect(publish).toMatch(/^ {6}id-token: write$/m)
  expect(publish).toMatch(/^ {4}needs: ci$/m)
  // A token would be a secret to keep, and a server's name a choice that npm makes.
  expect(publish).not.toMatch(/secrets\.|registry/)
})
