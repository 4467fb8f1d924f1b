// Tests in a real browser, Debian's Chromium: `npm run test:browser`.
import { defineConfig } from 'vitest/config'
import config from './vitest.config.ts'

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    // They need no PostgreSQL.
    globalSetup: [],
    // A browser takes what the machine has.
    fileParallelism: false,
    projects: [project('viewset', './packages/viewset'), project('atlas', './examples/atlas')],
  },
})

function project(name: string, root: string) {
  return { extends: true as const, test: { name, root, include: ['test/browser/**/*.test.ts'] } }
}
