import { channels, isObserved, type Ongoing, type TransactionEvent, traced } from '../core/channels.ts'
import { currentContext } from '../core/context.ts'
import type { Dialect } from '../model/dialect/dialect.ts'

/** What a transaction or a savepoint says of itself while it runs. */
export interface TransactionReport {
  /** For the statements in it; `null` where nobody listens. */
  readonly event: TransactionEvent | null
  begun(): void
  ended(outcome: 'commit' | 'rollback'): void
}

const UNOBSERVED: TransactionReport = { event: null, begun: () => {}, ended: () => {} }

interface Begun {
  readonly kind: TransactionEvent['kind']
  /** Default 1. */
  readonly attempt?: number
  readonly parent?: TransactionEvent | null
}

/** Tells of a transaction or a savepoint that `run` runs. */
export function reportTransaction<T>(
  dialect: Dialect,
  { kind, attempt = 1, parent = null }: Begun,
  run: (report: TransactionReport) => Promise<T>,
): Promise<T> {
  if (!isObserved()) return run(UNOBSERVED)
  const event: Ongoing<TransactionEvent> = {
    database: dialect.name,
    kind,
    parent,
    attempt,
    request: currentContext().request,
    outcome: null,
    waited: 0,
    duration: 0,
  }
  const start = performance.now()
  const report: TransactionReport = {
    event,
    begun: () => {
      event.waited = performance.now() - start
    },
    ended: outcome => {
      event.outcome = outcome
    },
  }
  return traced(channels.transaction, event, () => run(report))
}
