// Tests that take minutes, such as an import of a million rows: `npm run test:long`.
import { defineConfig } from 'vitest/config'
import config from './vitest.config.ts'

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    testTimeout: 30 * 60_000,
    // They measure time and memory: one at a time.
    fileParallelism: false,
    passWithNoTests: true,
    projects: [
      project('viewset', './packages/viewset'),
      project('create-viewset', './packages/create-viewset'),
      project('atlas', './examples/atlas'),
    ],
  },
})

function project(name: string, root: string) {
  return { test: { name, root, include: ['test/long/**/*.test.ts'] } }
}
