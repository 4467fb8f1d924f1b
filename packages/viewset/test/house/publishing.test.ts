import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { packageRoot } from '../support/command.ts'

const root = join(packageRoot, '../..')
const read = (path: string) => readFile(join(root, path), 'utf8')

test('the packages say where they are from, all the same', async () => {
  const own = JSON.parse(await read('package.json')) as { readonly repository: { readonly url: string } }
  const { url } = own.repository
  const page = url.replace(/^git\+|\.git$/g, '')
  for (const name of ['viewset', 'viewset-faces', 'viewset-tools', 'create-viewset']) {
    expect(JSON.parse(await read(`packages/${name}/package.json`))).toMatchObject({
      repository: { type: 'git', url, directory: `packages/${name}` },
      homepage: `${page}#readme`,
      bugs: `${page}/issues`,
      license: 'MIT',
      keywords: expect.arrayContaining(['rest', 'api']),
    })
  }
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
