import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const conditions = ['viewset-source']

const EXTENSIONS = 'test/extensions/**/*.test.ts'

export default defineConfig({
  // Tests read the workspaces' sources; the packed files are for `npm run check`.
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // One PostgreSQL for the whole run.
    globalSetup: ['./packages/viewset/test/support/global-setup.ts'],
    // A loaded machine that starts a database cold needs more than the usual five seconds.
    testTimeout: 20_000,
    // Vitest keeps a core free for a person at an editor; with two of them that is half of the machine.
    maxWorkers: '100%',
    hookTimeout: 30_000,
    provide: { face: 'fastify' },
    projects: [
      project('viewset', './packages/viewset', { exclude: [EXTENSIONS] }),
      // What packages of others register is there for the whole process: these have one each.
      project('extensions', './packages/viewset', { include: [EXTENSIONS], isolate: true }),
      project('create-viewset', './packages/create-viewset'),
      project('atlas', './examples/atlas'),
    ],
  },
})

interface ProjectOptions {
  readonly include?: string[]
  readonly exclude?: readonly string[]
  readonly isolate?: boolean
}

/**
 * Files of a project share a process and its modules, as the APIs of one application do, unless they are isolated: half
 * of the time was imports.
 */
function project(
  name: string,
  root: string,
  { include = ['test/**/*.test.ts'], exclude = [], isolate = false }: ProjectOptions = {},
) {
  // Every API of every test is held to its document.
  const setupFiles = [join(import.meta.dirname, 'packages/viewset/test/support/setup.ts')]
  const notHere = ['test/long/**', 'test/browser/**', ...exclude]
  return { test: { name, root, setupFiles, include, exclude: notHere, isolate } }
}
