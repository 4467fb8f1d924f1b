// Tests of pages, programs and packages: documentation that is compiled and run, command lines, the site, publishing.
import { defineConfig } from 'vitest/config'
import config, { project } from './vitest.config.ts'

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    projects: [
      project('viewset', './packages/viewset', { include: ['test/house/**/*.test.ts'] }),
      project('create-viewset', './packages/create-viewset'),
      project('atlas', './examples/atlas', { include: ['test/programs/**/*.test.ts'] }),
    ],
  },
})
