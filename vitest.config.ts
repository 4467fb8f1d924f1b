import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const conditions = ['viewset-source']

const EXTENSIONS = 'test/extensions/**/*.test.ts'
/** Tests of pages and programs: `npm run test:docs`. */
const DOCS = ['test/house/**', 'test/programs/**']

export default defineConfig({
  // Tests read the workspaces' sources; the packed files are for `npm run check`.
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // One PostgreSQL for the whole run.
    globalSetup: ['./packages/viewset/test/support/global-setup.ts'],
    // For what hangs. A loaded machine that starts a database cold needs much more than the usual five seconds.
    testTimeout: 60_000,
    // Vitest keeps a core free for a person at an editor. One more than there are cores works while others wait.
    maxWorkers: availableParallelism() + 1,
    hookTimeout: 60_000,
    provide: { face: 'fastify', thorough: false },
    projects: [
      project('viewset', './packages/viewset', { exclude: [EXTENSIONS, ...DOCS] }),
      // What packages of others register is there for the whole process: they have one of their own.
      project('extensions', './packages/viewset', { include: [EXTENSIONS] }),
      project('viewset-tools', './packages/viewset-tools', { exclude: DOCS }),
      project('atlas', './examples/atlas', { exclude: DOCS }),
      project('conduit', './examples/conduit'),
    ],
  },
})

interface Files {
  readonly include?: string[]
  readonly exclude?: readonly string[]
}

/**
 * A project whose files share a process and its modules, as the APIs of one application do: a process for each file
 * would import everything anew, which was half of the time.
 */
export function project(name: string, root: string, { include = ['test/**/*.test.ts'], exclude = [] }: Files = {}) {
  return {
    test: {
      name,
      root,
      include,
      exclude: ['test/long/**', 'test/browser/**', ...exclude],
      isolate: false,
      // Every API of every test is held to its document.
      setupFiles: [join(import.meta.dirname, 'packages/viewset/test/support/setup.ts')],
      // Node reads the sources by itself, and Drizzle from its CommonJS files: imports cost a third less.
      server: { deps: { external: [/packages\/viewset(-faces|-tools)?\/src\//] } },
      execArgv: [...conditions.map(condition => `--conditions=${condition}`), '--import=viewset/fast-drizzle'],
    },
  }
}
