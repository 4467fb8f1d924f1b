import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { parse } from 'csv-parse/sync'
import { AllowAny, BaseModelSerializer, insertMany, ReadOnlyViewSet } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectError, nonField } from '../support/expect.ts'
import { models } from '../support/models.ts'

describeDialects('an export on its way over a network', dialect => {
  const tables = models(dialect.kit)
  const { authors } = tables
  const common = { model: authors, permissionClasses: [AllowAny], ordering: 'name' } as const
  /** Its rows stop at one that cannot be read. */
  const failingAt = (name: string) =>
    ReadOnlyViewSet({
      ...common,
      serializer: BaseModelSerializer(authors, {
        fields: ['name', 'email'],
        extra: {
          check: author => {
            if (author.name === name) throw new Error(`no ${name}`)
            return true
          },
        },
      }),
    })
  /** Rows that were read of the resource `counting`. */
  let seen = 0
  const counting = BaseModelSerializer(authors, {
    fields: ['name', 'email'],
    extra: { seen: () => ++seen, filler: () => 'x'.repeat(500) },
  })
  const serializer = BaseModelSerializer(authors, { fields: ['id', 'name', 'email', 'createdAt', 'updatedAt'] })
  const logged: string[] = []
  const api = useApi(dialect, {
    tables,
    server: { logger: { level: 'error', stream: { write: line => logged.push(line) } } },
    resources: {
      authors: ReadOnlyViewSet({ ...common, serializer }),
      counting: ReadOnlyViewSet({ ...common, serializer: counting }),
      'failing-late': failingAt('a5500'),
      'failing-first': failingAt('a1'),
    },
  })
  const store = (count: number, email = '') =>
    api.database.transaction(() =>
      insertMany(
        authors,
        Array.from({ length: count }, (_, i) => ({ name: `a${i + 1}`, email: `${i}${email}` })),
      ),
    )

  async function ask(resource: string, file_type: string): Promise<ClientRequest> {
    const port = await api.listen()
    const headers = { 'content-type': 'application/json' }
    const asking = request({ port, method: 'POST', path: `/api/${resource}/export/`, headers, agent: false })
    return asking.end(JSON.stringify({ file_type }))
  }

  async function open(resource: string, file_type: string): Promise<IncomingMessage> {
    const [response] = await once(await ask(resource, file_type), 'response')
    return response as IncomingMessage
  }

  test('waits for a reader that has stopped, with its rows still in the database', async () => {
    const count = 40_000
    for (let done = 0; done < count; done += 20_000) await store(20_000, `.${done}`)
    seen = 0
    const response = await open('counting', 'csv')
    await once(response, 'readable')
    let before = -1
    const hasStopped = () => {
      const isSame = seen === before
      before = seen
      return isSame
    }
    await expect.poll(hasStopped, { interval: 200 }).toBe(true)
    // The network's own buffers hold some megabytes, of the 21 that the file has.
    expect(seen).toBeLessThan(count * 0.8)
    let lines = 0
    for await (const chunk of response) for (const byte of chunk as Buffer) if (byte === 0x0a) lines++
    expect(lines).toBe(count + 1)
  })

  test.each(['csv', 'xlsx'])('that fails half-way never ends like a whole %s file', async file_type => {
    await store(6000, 'x'.repeat(90))
    const response = await open('failing-late', file_type)
    expect(response.statusCode).toBe(200)
    const chunks: Buffer[] = []
    const reading = async () => {
      for await (const chunk of response) chunks.push(chunk as Buffer)
    }
    await expect(reading()).rejects.toThrow(/aborted|hang up|ECONNRESET/)
    expect(response.complete).toBe(false)
    expect(Buffer.concat(chunks).toString()).not.toContain('a5500')
    expect((await api.get('/authors/')).status).toBe(200)
  })

  test.each(['csv', 'xlsx', 'pdf'])('that fails before the first byte of %s is an envelope', async file_type => {
    await store(10)
    const response = await api.post('/failing-first/export/', { file_type })
    expect(response.status).toBe(500)
    expect(JSON.parse(response.text)).toMatchObject({ success: false, data: null })
    expect(response.headers).not.toHaveProperty('content-disposition')
  })

  test('is left 20 times, and no connection is missing afterwards', async () => {
    await store(6000, 'x'.repeat(90))
    for (let i = 0; i < 20; i++) {
      const response = await open('authors', i % 2 === 0 ? 'csv' : 'xlsx')
      await once(response, 'data')
      response.destroy()
    }
    // A pool of ten would be dry by now, and a writer would wait for twenty readers.
    await expect.poll(async () => (await api.post('/authors/export/', { file_type: 'csv' })).status).toBe(200)
    await store(1, '@')
    const { text } = await api.post('/authors/export/', { file_type: 'csv' })
    expect(parse(text)).toHaveLength(6002)
  })

  test('is left before the first byte of a PDF: its rows are read no further', async () => {
    await store(9_000, ' long words that wrap'.repeat(3))
    seen = 0
    logged.length = 0
    // As many as are made at the same time: the next one waits until these have stopped.
    const askers = [await ask('counting', 'pdf'), await ask('counting', 'pdf')]
    await expect.poll(() => seen).toBeGreaterThanOrEqual(2_000)
    for (const asker of askers) asker.on('error', () => {}).destroy()
    const small = await api.post('/counting/export/', { file_type: 'pdf', data: [{ name: 'a' }] })
    expect(small.status).toBe(200)
    expect(seen).toBeLessThan(2 * 9_000)
    // Nobody's fault, so nothing for the log.
    expect(logged).toEqual([])
  })

  test('cannot be a PDF of any length', async () => {
    await store(10_001)
    const message = 'A pdf file takes 10,000 rows at most; these are 10,001. Filter them, or choose csv or xlsx.'
    expectError(await api.post('/authors/export/', { file_type: 'pdf' }), 400, message, nonField(message))
  })
})
