import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const conditions = ['viewset-source']

const support = join(import.meta.dirname, 'packages/viewset/test/support')
/** The number and the seed of random cases. */
export const CASES_SETUP = join(support, 'cases-setup.ts')

const HANGS = 5 * 60_000

const EXTENSIONS = 'packages/viewset/test/extensions/**/*.test.ts'
/** Other tests of its process would change what it counts: a model with a history makes each write note its reason. */
const STEPS = 'packages/viewset/test/http/steps-of-a-request.test.ts'
/** Tests of pages and programs: `npm run test:docs`. */
const DOCS = ['**/test/house/**', '**/test/programs/**']

export default defineConfig({
  // Tests read the workspaces' sources; the packed files are for `npm run check`.
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // One PostgreSQL for the whole run.
    globalSetup: ['./packages/viewset/test/support/global-setup.ts'],
    // These limits end a test that hangs. A loaded machine may need a minute for a test of a second.
    testTimeout: HANGS,
    hookTimeout: HANGS,
    expect: { poll: { timeout: 2 * 60_000, interval: 10 } },
    // Vitest keeps a core free for a person at an editor. One more than there are cores works while others wait.
    maxWorkers: availableParallelism() + 1,
    // Random tests draw the same cases in each run. `npm run test:long` draws a new seed.
    provide: { face: 'fastify', thorough: false, seed: Number(process.env.VIEWSET_TEST_SEED ?? 1) },
    projects: [
      project('viewset', '.', {
        include: ['packages/{viewset,viewset-tools}/test/**/*.test.ts', 'examples/*/test/**/*.test.ts'],
        exclude: [EXTENSIONS, STEPS, ...DOCS],
      }),
      // Extensions register kinds and mixins for the whole process, so they have processes of their own.
      project('extensions', '.', { include: [EXTENSIONS] }),
      project('steps', '.', { include: [STEPS] }),
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
      exclude: ['**/test/long/**', '**/test/browser/**', ...exclude],
      isolate: false,
      setupFiles: [CASES_SETUP, join(support, 'setup.ts')],
      // Node reads the sources by itself, and Drizzle from its CommonJS files: imports cost a third less.
      server: { deps: { external: [/packages\/viewset(-faces|-tools)?\/src\//] } },
      execArgv: [...conditions.map(condition => `--conditions=${condition}`), '--import=viewset/fast-drizzle'],
    },
  }
}
