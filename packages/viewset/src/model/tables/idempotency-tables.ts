import { momentOfWrite } from '../../core/clock.ts'
import type { ColumnKit } from '../kit.ts'

type IdempotencyTableKit = Pick<ColumnKit, 'table' | 'text' | 'integer' | 'json' | 'timestamp' | 'index'>

/** The table of answers to requests with an `Idempotency-Key`. It belongs to the application and its migrations. */
export function idempotencyTables(c: IdempotencyTableKit) {
  const idempotencyKeys = c.table(
    'viewset_idempotency_keys',
    {
      /** SHA-256 of the user, the tenant, the method, the address and the key. */
      id: c.text(64).primaryKey(),
      /** SHA-256 of the body. */
      fingerprint: c.text(64).notNull(),
      status: c.integer().notNull(),
      headers: c.json().$type<Readonly<Record<string, string | string[]>>>().notNull(),
      body: c.text().notNull(),
      createdAt: c.timestamp().notNull().$defaultFn(momentOfWrite),
    },
    key => [c.index(key.createdAt)],
  )
  return { idempotencyKeys }
}

/** The table of `IdempotencyTable()`. */
export type IdempotencyTables = ReturnType<typeof idempotencyTables>
