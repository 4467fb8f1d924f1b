// The contract suite behind PgBouncer in transaction mode, where Debian's `pgbouncer` is installed; part of
// `npm run test:long`.
import { defineConfig } from 'vitest/config'
import { findPgBouncer } from './packages/viewset/test/support/pgbouncer.ts'
import config from './vitest.config.ts'

const CONTRACT = ['bulk', 'export', 'relations', 'writes', 'reads', 'jobs']
const FILES = ['import/http', 'import/upload', 'import/policies-http', 'import/transactions', 'import/replace']

const isInstalled = findPgBouncer() !== undefined
// Read by postgres-host.ts.
if (isInstalled) process.env.VIEWSET_TEST_POOLER = 'pgbouncer'
else console.log('PgBouncer is not installed (apt install pgbouncer): the suite behind it is skipped.')

export default defineConfig({
  ...config,
  test: {
    ...config.test,
    passWithNoTests: !isInstalled,
    // Behind a pooler, a database that is away is one that is waited for.
    testNamePattern: /^(?!sqlite: |where the database is away)/,
    testTimeout: 60_000,
    projects: [
      {
        test: {
          name: 'pgbouncer',
          root: './packages/viewset',
          // An application's own pool there asks for a time zone of its own, in a way that PgBouncer refuses.
          exclude: ['test/writes/with-transaction.test.ts'],
          include: isInstalled
            ? [...CONTRACT.map(name => `test/${name}/**/*.test.ts`), ...FILES.map(name => `test/${name}.test.ts`)]
            : [],
        },
      },
    ],
  },
})
