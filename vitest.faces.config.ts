// The contract suite over the faces that are not Fastify's; part of `npm run test:long`.
import { defineConfig } from 'vitest/config'
import config from './vitest.config.ts'

export default defineConfig({
  ...config,
  test: { ...config.test, projects: [project('fetch'), project('node')] },
})

function project(face: 'fetch' | 'node') {
  return {
    test: {
      name: face,
      root: './packages/viewset',
      provide: { face },
      include: ['test/**/*.test.ts'],
      exclude: ['test/long/**', 'test/browser/**'],
    },
  }
}
