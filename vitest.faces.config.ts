// The contract suite over the faces that are not Fastify's; part of `npm run test:long`.
import { defineConfig } from 'vitest/config'
import config from './vitest.config.ts'

/** Files that are about Fastify itself. */
const OF_FASTIFY = ['hosts', 'hooks-of-others']
/** Files about what only a server of Node sees. */
const OF_NODE = ['node-connections']

export default defineConfig({
  ...config,
  test: { ...config.test, projects: [project('fetch', [...OF_FASTIFY, ...OF_NODE]), project('node', OF_FASTIFY)] },
})

function project(face: 'fetch' | 'node', strangers: readonly string[]) {
  return {
    test: {
      name: face,
      root: './packages/viewset',
      provide: { face },
      include: ['test/**/*.test.ts'],
      exclude: ['test/{long,browser,house,faces}/**', ...strangers.map(name => `test/http/${name}.test.ts`)],
    },
  }
}
