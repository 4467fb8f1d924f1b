import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

const conditions = ['viewset-source']

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
    // Files of tests share a process and its modules, as the APIs of one application do: half of the time was imports.
    isolate: false,
    hookTimeout: 30_000,
    provide: { face: 'fastify' },
    projects: [
      project('viewset', './packages/viewset'),
      project('create-viewset', './packages/create-viewset'),
      project('atlas', './examples/atlas'),
    ],
  },
})

function project(name: string, root: string) {
  // Every API of every test is held to its document.
  const setupFiles = [join(import.meta.dirname, 'packages/viewset/test/support/setup.ts')]
  const exclude = ['test/long/**', 'test/browser/**']
  return { test: { name, root, setupFiles, include: ['test/**/*.test.ts'], exclude } }
}
