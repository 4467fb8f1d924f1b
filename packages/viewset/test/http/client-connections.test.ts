import type { Socket } from 'node:net'
import { AllowAny, BaseViewSet } from 'viewset'
import { afterEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { sqliteDialect } from '../support/dialects.ts'
import { models } from '../support/models.ts'
import { RawConnection } from '../support/raw-http.ts'
import { serializers } from '../support/serializers.ts'

/** No database is asked here, so one is enough. */
const tables = models(sqliteDialect.kit)
const get = (name: string) => `GET /api/authors/${name}/ HTTP/1.1\r\nHost: localhost\r\n\r\n`

describe('the connection of a request', () => {
  let started = Promise.withResolvers<void>()
  let go = Promise.withResolvers<void>()
  let aborted: boolean | undefined
  const resources = {
    authors: BaseViewSet({
      model: tables.authors,
      serializer: serializers(tables).AuthorReference,
      permissionClasses: [AllowAny],
      actions: {
        quick: { method: 'GET', detail: false, handler: () => 'quick' },
        slow: {
          method: 'GET',
          detail: false,
          handler: async ({ request }) => {
            started.resolve()
            await go.promise
            aborted = request.signal?.aborted
            return 'slow'
          },
        },
      },
    }),
  }
  const api = useApi(sqliteDialect, { tables, resources })
  const opened: RawConnection[] = []
  async function send(text: string): Promise<RawConnection> {
    started = Promise.withResolvers<void>()
    go = Promise.withResolvers<void>()
    aborted = undefined
    const connection = new RawConnection(await api.listen()).send(text)
    opened.push(connection)
    await started.promise
    return connection
  }
  afterEach(async () => {
    for (const { socket } of opened) socket.destroy()
    await Promise.all(opened.splice(0).map(({ closed }) => closed))
  })

  test('that is gone when the signal is first asked for has aborted it', async () => {
    const gone = new Promise<void>(resolve => {
      api.server.once('connection', socket => socket.once('close', () => resolve()))
    })
    const { socket } = await send(get('slow'))
    socket.destroy()
    await gone
    go.resolve()
    await expect.poll(() => aborted).toBe(true)
  })

  test('that is there has not', async () => {
    const connection = await send(get('slow'))
    go.resolve()
    await expect.poll(() => connection.responses.map(({ status }) => status)).toEqual([200])
    expect(aborted).toBe(false)
  })

  test('may be slow again once an answer is sent, though the next request came along', async () => {
    const accepted = new Promise<Socket>(resolve => api.server.once('connection', resolve))
    const connection = await send(get('quick') + get('slow'))
    const socket = await accepted
    await expect.poll(() => connection.responses.length).toBe(1)
    await expect.poll(() => socket.timeout ?? 0).toBe(api.server.timeout)
    go.resolve()
    await expect.poll(() => connection.responses.map(({ status }) => status)).toEqual([200, 200])
    // Now it is idle, for which Node has a limit.
    await expect.poll(() => socket.timeout).toBeGreaterThanOrEqual(api.server.keepAliveTimeout)
  })
})
