import { setImmediate as turn } from 'node:timers/promises'
import { AllowAny, BaseModelSerializer, boundedCount, ReadOnlyViewSet, StandardPageNumberPagination } from 'viewset'
import { postgres } from 'viewset/pg'
import { sqlite } from 'viewset/sqlite'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeVersions, untilKept } from '../support/kept-counts.ts'
import {
  connectTo,
  type Entry,
  entriesOf,
  lastCommit,
  ledgerTables,
  writersElsewhere,
  writeToLedger,
} from '../support/ledger.ts'

class Bounded extends StandardPageNumberPagination {
  override readonly countStrategy = boundedCount({ limit: 100_000 })
}

describeVersions('counts beside four writers', dialect => {
  const tables = ledgerTables(dialect.kit)
  const { notes } = tables
  const common = {
    model: notes,
    serializer: BaseModelSerializer(notes, { fields: ['id', 'even'] }),
    permissionClasses: [AllowAny],
    filterFields: ['even'],
  } as const
  let url = ''
  const api = useApi(
    {
      name: dialect.name,
      kit: dialect.kit,
      get server() {
        return dialect.server
      },
      open: address => {
        url = address
        return dialect.name === 'pg'
          ? postgres(address)
          : sqlite(address, { busyTimeout: 20_000, synchronous: 'normal' })
      },
    },
    {
      tables,
      resources: {
        notes: ReadOnlyViewSet(common),
        bounded: ReadOnlyViewSet({ ...common, paginationClass: Bounded }),
      },
    },
  )

  test.each([1_000, 2_000])('each is that of a commit during its request, for the seed %i', async seed => {
    const connection = await connectTo(dialect.name, url)
    await connection.run('insert into ledger (seq, total, evens) values (0, 0, 0)')
    const work = { transactions: cases(150) }
    let isOver = false
    const writers = Promise.all([
      writersElsewhere(dialect.name, url, { ...work, seed }),
      writeToLedger(dialect.name, url, { ...work, seed: seed + 2 }),
      writeToLedger(dialect.name, url, { ...work, seed: seed + 3 }),
    ]).finally(() => {
      isOver = true
    })
    const seen: { path: string; count: unknown; first: number; last: number }[] = []
    const read = async (path: string) => {
      while (!isOver) {
        const first = await lastCommit(connection)
        const { count } = (await api.get(path)).envelope()
        seen.push({ path, count, first, last: await lastCommit(connection) })
        // Without a network, requests would leave the writers of this process no turn.
        await turn()
      }
    }
    const paths = ['/notes/', '/notes/?page_size=1', '/notes/?even=true', '/bounded/']
    await Promise.all([writers, ...paths.map(read)])
    const entries = await entriesOf(connection)
    await connection.close()
    const countIn = ({ total, evens }: Entry, path: string) => (path.includes('even') ? evens : total)
    for (const { path, count, first, last } of seen) {
      const possible = entries.filter(({ seq }) => first <= seq && seq <= last).map(entry => countIn(entry, path))
      expect(possible, `${path}, between ${first} and ${last}`).toContain(count)
    }
    const end = entries.at(-1) as Entry
    expect(end.seq).toBeGreaterThan(work.transactions)
    for (const path of paths) {
      await untilKept(api.database, async () => expect((await api.get(path)).envelope().count).toBe(countIn(end, path)))
    }
  })
})
