// Tests of pages, programs and packages: documentation that is compiled and run, command lines, the site, publishing.
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import config, { project } from './vitest.config.ts'

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    globalSetup: ['global-setup', 'reference-setup'].map(name => `./packages/viewset/test/support/${name}.ts`),
    maxWorkers: availableParallelism(),
    projects: [
      project('viewset', './packages/viewset', { include: ['test/house/**/*.test.ts'] }),
      project('viewset-tools', './packages/viewset-tools', { include: ['test/house/**/*.test.ts'] }),
      project('create-viewset', './packages/create-viewset'),
      project('atlas', './examples/atlas', { include: ['test/programs/**/*.test.ts'] }),
    ],
  },
})
