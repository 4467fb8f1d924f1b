import {
  channels,
  type EventChannel,
  type RequestEvent,
  type StatementEvent,
  type TransactionEvent,
} from 'viewset/observability'
import { afterEach, beforeEach } from 'vitest'

/** The events of one channel: those that have begun, and those that have ended as they were then. */
interface Observed<E> {
  readonly begun: E[]
  readonly ended: E[]
  readonly failed: E[]
}

export interface ObservedEvents {
  readonly requests: Observed<RequestEvent>
  readonly statements: Observed<StatementEvent>
  readonly transactions: Observed<TransactionEvent>
}

/** Everything that is told while a test runs. */
export function useObservedEvents(): ObservedEvents {
  const events: ObservedEvents = { requests: none(), statements: none(), transactions: none() }
  const stops: (() => void)[] = []
  beforeEach(() => {
    for (const { begun, ended, failed } of Object.values(events)) {
      for (const list of [begun, ended, failed]) list.length = 0
    }
    stops.push(
      collect(channels.request, events.requests),
      collect(channels.statement, events.statements),
      collect(channels.transaction, events.transactions),
    )
  })
  afterEach(() => {
    for (const stop of stops.splice(0)) stop()
  })
  return events
}

function none<E>(): Observed<E> {
  return { begun: [], ended: [], failed: [] }
}

function collect<E extends object>(channel: EventChannel<E>, { begun, ended, failed }: Observed<E>): () => void {
  const handlers = {
    start: (event: E) => void begun.push(event),
    asyncEnd: (event: E) => void ended.push({ ...event }),
    error: (event: E) => void failed.push(event),
  }
  channel.subscribe(handlers)
  return () => channel.unsubscribe(handlers)
}
