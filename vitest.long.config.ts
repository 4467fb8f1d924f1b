// One part of the long tests, named by an environment variable: `npm run test:long -- imports` (scripts/test-long.ts).
import { defineConfig } from 'vitest/config'
import { findPgBouncer } from './packages/viewset/test/support/pgbouncer.ts'
import { LONG_PARTS, type LongPart, type LongPartName, PART_VARIABLE } from './scripts/long-parts.ts'
import config, { CASES_SETUP, project } from './vitest.config.ts'

const name = process.env[PART_VARIABLE] as LongPartName | undefined
/** Tools that only look at this file name no part. */
const part: LongPart = name ? LONG_PARTS[name] : { files: {} }

const isMissing = part.isPooled && findPgBouncer() === undefined
if (isMissing) console.log('PgBouncer is not installed (apt install pgbouncer): the tests behind it are left out.')
// Read by postgres-host.ts.
if (part.isPooled && !isMissing) process.env.VIEWSET_TEST_POOLER = 'pgbouncer'

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    ...(!part.isPooled && { testTimeout: 30 * 60_000 }),
    fileParallelism: part.isParallel ?? false,
    passWithNoTests: isMissing ?? false,
    // Behind a pooler, a database that is away is one that is waited for.
    ...(part.isPooled && { testNamePattern: /^(?!sqlite: |where the database is away)/ }),
    provide: { ...config.test?.provide, thorough: !part.face && !part.isPooled, face: part.face ?? 'fastify' },
    projects: Object.entries(part.files).map(([root, files]) => {
      const { test } = project(`${name} ${root}`, `./${root}`, { include: isMissing ? [] : [...files] })
      // Tests that measure are not held to documents, which costs time and memory.
      return {
        test: { ...test, exclude: [...(part.exclude ?? [])], ...(!part.isParallel && { setupFiles: [CASES_SETUP] }) },
      }
    }),
  },
})
