import { sql } from 'drizzle-orm'
import fc from 'fast-check'
import { AllowAny, BaseModelSerializer, type ColumnKit, CursorPagination, insertMany, ReadOnlyViewSet } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { cases } from '../support/cases.ts'
import { describeDialects } from '../support/dialects.ts'

class Twos extends CursorPagination {
  override readonly pageSize = 2
}

function taskTables(c: ColumnKit) {
  const people = c.table('people', { id: c.integer().primaryKey(), name: c.text(10) })
  const tasks = c.table('tasks', {
    id: c.integer().primaryKey(),
    rank: c.integer(),
    person: c.foreignKey(people),
  })
  return { people, tasks }
}

describeDialects('orderingNulls', dialect => {
  const tables = taskTables(dialect.kit)
  const { people, tasks } = tables
  const config = {
    model: tasks,
    serializer: BaseModelSerializer(tasks, { fields: ['id', 'rank'] }),
    permissionClasses: [AllowAny],
    orderingFields: ['rank', 'person__name'],
    computedOrderingFields: { half: sql`${tasks.rank} / 2` },
    orderingNulls: 'last',
  } as const
  const api = useApi(dialect, {
    tables,
    resources: {
      tasks: ReadOnlyViewSet(config),
      cursors: ReadOnlyViewSet({ ...config, paginationClass: Twos }),
    },
  })
  type Task = { readonly rank: number | null; readonly name: string | null | undefined }
  const task: fc.Arbitrary<Task> = fc.record({
    rank: fc.option(fc.nat({ max: 3 })),
    name: fc.constantFrom('a', 'b', null, undefined),
  })

  type Page = ReturnType<Awaited<ReturnType<typeof api.get>>['envelope']> & { readonly data: { id: number }[] }
  const below = (link: string) => link.slice(link.indexOf('/cursors'))
  /** Every page of a list, in both directions. */
  const walk = async (query: string) => {
    const ids: number[] = []
    let path: string | null = `/cursors/?${query}`
    let previous: string | null = null
    while (path) {
      const page: Page = (await api.get(path)).envelope() as Page
      const { data, next, previous: before } = page
      ids.push(...data.map(({ id }) => id))
      previous = before ?? previous
      path = next ? below(next) : null
    }
    let back: string | null = previous === null ? null : below(previous)
    const backwards: number[] = []
    while (back) {
      const page: Page = (await api.get(back)).envelope() as Page
      const { data, previous: before } = page
      backwards.unshift(...data.map(({ id }) => id))
      back = before ? below(before) : null
    }
    return { ids, backwards }
  }

  test('records without a value come last both ways, also with cursors', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(task, { maxLength: 7 }),
        fc.constantFrom('rank', '-rank', 'person__name', '-person__name', '-half', '-rank,person__name'),
        async (stored, ordering) => {
          await api.clear()
          await api.database.transaction(async () => {
            await insertMany(people, [
              { id: 1, name: 'a' },
              { id: 2, name: 'b' },
              { id: 3, name: null },
            ])
            const personOf: Readonly<Record<string, number>> = { a: 1, b: 2, null: 3 }
            const rows = stored.map(({ rank, name }, at) => {
              return { id: at + 1, rank, person: name === undefined ? null : personOf[name ?? 'null'] }
            })
            await insertMany(tasks, rows)
          })
          const rankBy = (at: number, term: string) => {
            const { rank, name } = stored[at - 1] ?? { rank: null, name: null }
            if (term === 'person__name') return name ?? null
            return rank === null ? null : term === 'half' ? Math.floor(rank / 2) : rank
          }
          const expected = stored
            .map((_, at) => at + 1)
            .toSorted((a, b) => {
              for (const term of ordering.split(',')) {
                const name = term.replace('-', '')
                const [one, other] = [rankBy(a, name), rankBy(b, name)]
                if (one === other) continue
                if (one === null || other === null) return one === null ? 1 : -1
                return (one < other ? -1 : 1) * (term.startsWith('-') ? -1 : 1)
              }
              return a - b
            })
          const listed = (await api.get(`/tasks/?ordering=${ordering}`)).data<{ id: number }[]>().map(({ id }) => id)
          expect(listed).toEqual(expected)
          const { ids, backwards } = await walk(`ordering=${ordering}`)
          expect(ids).toEqual(expected)
          expect(expected.slice(0, backwards.length)).toEqual(backwards)
        },
      ),
      { numRuns: cases(200) },
    )
  })
})
