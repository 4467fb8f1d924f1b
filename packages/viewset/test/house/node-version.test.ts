import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { nodeProblem } from '../../src/core/node-version.ts'
import { ProjectFolder, packageRoot } from '../support/command.ts'

const SENTENCE = 'viewset needs Node 22.12 or later, and this is Node 20.20.2. Install a newer one, such as Node 24.'
/** Makes a process take itself for one of another Node. */
const AGED = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } })`

describe('an older Node', () => {
  test.each(['18.20.8', '20.20.2', '22.11.0'])('is told what to do: %s', node => {
    expect(nodeProblem({ node })).toBe(SENTENCE.replace('20.20.2', node))
  })

  test.each([
    [{ node: '22.12.0' }],
    [{ node: '22.18.1' }],
    [{ node: '24.0.0' }],
    [{ node: '100.0.0' }],
    [{ node: '20.11.1', deno: '2.0.0' }],
    [{ node: '18.0.0', bun: '1.0.0' }],
    [{}],
  ])('is none: %j', versions => {
    expect(nodeProblem(versions)).toBeUndefined()
  })

  test('is what the manifest says', () => {
    const oldest = manifest.engines.node.replace('>=', '')
    expect(nodeProblem({ node: `${oldest}.0` })).toBeUndefined()
    const [major = 0, minor = 0] = oldest.split('.').map(Number)
    expect(nodeProblem({ node: `${major}.${minor - 1}.9` })).toContain(`Node ${oldest} or later`)
  })
})

describe('where the Node is older,', () => {
  let folder: ProjectFolder
  beforeAll(async () => {
    folder = await ProjectFolder.make()
    await folder.write('aged.mjs', AGED)
  })
  afterAll(() => folder?.remove())

  const run = (...args: readonly string[]) =>
    new Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>(resolve => {
      const all = ['--conditions=viewset-source', '--import', './aged.mjs', ...args]
      execFile(process.execPath, all, { cwd: folder.path }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      )
    })

  test('the command ends with a sentence', async () => {
    expect(await run(join(packageRoot, 'src/cli/main.ts'), '--help')).toEqual({
      code: 1,
      stdout: '',
      stderr: `${SENTENCE}\n`,
    })
  })

  test('an application ends with it, and with nothing of the package around it', async () => {
    await folder.write('app.mjs', "import { BaseViewSet } from 'viewset'\nconsole.log(BaseViewSet)\n")
    const { code, stdout, stderr } = await run('app.mjs')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`\n[${SENTENCE}]\n`)
    expect(stderr).not.toMatch(/^ +at /m)
  })

  test('every entry says it but for the client, which runs in browsers', async () => {
    const entries = (await readdir(join(packageRoot, 'src'))).filter(name => name.endsWith('.ts'))
    const silent: string[] = []
    for (const name of entries) {
      const text = await readFile(join(packageRoot, 'src', name), 'utf8')
      // First of all: what is imported before it would fail before it.
      if (!text.startsWith("import './core/check-node.ts'\n")) silent.push(name)
    }
    expect(silent).toEqual(['client.ts'])
  })
})
