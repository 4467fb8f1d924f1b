import { describe, expect, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { bundledServer } from '../support/bundle.ts'

/** What says that a Node is too old: all that an import does by itself, and all that a bundler must keep of it. */
const CHECK = ['core/check-node.ts', 'core/node-version.ts']
/** Entries that have no check, or are there for what they do. */
const DOING = ['./client', './fast-drizzle']
/** What whoever does not ask for it need not have. */
const OPTIONAL = Object.keys(manifest.peerDependenciesMeta).filter(name => name !== 'drizzle-kit')

describe('a bundle', () => {
  test.each(Object.keys(manifest.exports).filter(subpath => !DOING.includes(subpath)))(
    'that uses nothing of an entry has nothing of it: %s',
    async subpath => {
      const { inputs, imports } = await bundledServer(`import '${subpath.replace('.', 'viewset')}'`)
      expect([inputs, imports]).toEqual([[], []])
    },
  )

  test('with one permission has neither a database in it nor an importer', async () => {
    const { code, inputs, imports } = await bundledServer("export { AllowAny } from 'viewset'")
    expect([inputs, imports]).toEqual([[...CHECK, 'viewset/permissions.ts'], []])
    expect(code.length).toBeLessThan(1_000)
  })

  test('with what knows the current user has that only', async () => {
    const { inputs, imports } = await bundledServer("export { currentUser } from 'viewset'")
    expect(inputs.filter(path => !path.startsWith('core/'))).toEqual([])
    expect(imports).toEqual(['node:async_hooks'])
  })

  test("with a kit has no database's driver in it", async () => {
    for (const entry of ['pg', 'sqlite']) {
      const { inputs, imports } = await bundledServer(`export { kit } from 'viewset/${entry}'`)
      expect(inputs.filter(path => /^store\//.test(path))).toEqual([])
      expect(imports.filter(name => OPTIONAL.includes(name))).toEqual([])
    }
  })

  test('with a handler has no framework in it, no driver and no package that is optional', async () => {
    const { inputs, imports } = await bundledServer("export { createHandler } from 'viewset/fetch'")
    expect(
      inputs.filter(path => /^(fastify|node|cli|testing|client)\/|dialect\/(pg|sqlite)-driver/.test(path)),
    ).toEqual([])
    expect(imports.filter(name => OPTIONAL.includes(name))).toEqual([])
  })
})
