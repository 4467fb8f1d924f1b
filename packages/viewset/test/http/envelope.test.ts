import { AllowAny, BaseViewSet, ReadOnlyViewSet, type Reply } from 'viewset'
import { describe, expect, test } from 'vitest'
import { type Method, type TestResponse, useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError, expectInvalid, expectNotAllowed, expectSuccess, nonField, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const NOTHING_HERE = 'There is nothing at this address.'
const JSON_TYPE = { 'content-type': 'application/json' }

const allowed = ({ headers }: TestResponse) => String(headers.allow).split(', ').toSorted()

describeOneDialect('the envelope', dialect => {
  const tables = models(dialect.kit)
  const { AuthorReference } = serializers(tables)
  const logged: string[] = []
  const crash = (thrown: () => unknown) =>
    ({
      method: 'POST',
      detail: false,
      handler: () => {
        throw thrown()
      },
    }) as const
  const common = { model: tables.authors, serializer: AuthorReference, permissionClasses: [AllowAny] } as const
  /** As plain JavaScript lets it be written. */
  class Forgetful extends BaseViewSet(common) {
    override async performCreate(values: object): Promise<never> {
      await super.performCreate(values)
      return undefined as never
    }
    override async finalize(reply: Reply): Promise<Reply> {
      return this.action === 'list' ? (undefined as never) : reply
    }
  }
  const api = useApi(dialect, {
    tables,
    server: {
      logger: { level: 'error', stream: { write: (line: string) => void logged.push(line) } },
      bodyLimit: 1000,
    },
    resources: {
      authors: BaseViewSet({
        ...common,
        actions: {
          crash: crash(() => new Error('secret of the house: select password from users')),
          'crash-string': crash(() => 'just a string'),
          'crash-undefined': crash(() => undefined),
          'crash-sql': {
            method: 'POST',
            detail: false,
            handler: view => view.database.driver.run({ text: 'select secret_column from authors' }, []),
          },
          circular: {
            method: 'GET',
            detail: false,
            handler: () => {
              const self: Record<string, unknown> = {}
              self.self = self
              return self
            },
          },
        },
      }),
      readonly: ReadOnlyViewSet(common),
      forgetful: Forgetful,
    },
  })

  test('has a timestamp in UTC with microseconds that follows the clock', async () => {
    const before = Date.now()
    const { text } = await api.get('/authors/')
    const { timestamp } = JSON.parse(text) as { timestamp: string }
    expect(timestamp).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/)
    expect(Date.parse(timestamp)).toBeGreaterThanOrEqual(before - 5)
    expect(Date.parse(timestamp)).toBeLessThanOrEqual(Date.now() + 5)
  })

  test('comes with no headers that permit anything', async () => {
    const { headers } = await api.get('/authors/', { headers: { origin: 'https://evil.example' } })
    expect(Object.keys(headers).toSorted()).toEqual([
      'connection',
      'content-length',
      'content-type',
      'date',
      'x-request-id',
    ])
  })

  describe('stands around every 404', () => {
    test.each(['/nothing/', '/authors/a/b/c/', '/authors/x/restore/', '/authors/../x/'])('GET %s', async path =>
      expectError(await api.get(path), 404, NOTHING_HERE),
    )

    test('of two slashes', async () => {
      expectError(await api.get('//'), 404, `${NOTHING_HERE} Did you mean GET /api/?`)
    })

    test('of an empty identifier', async () => {
      expectError(await api.get('/authors//'), 404, 'There is no record with the id "".')
    })

    test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)('%s /nothing/', async method => {
      expectError(await api.request(method, '/nothing/'), 404, NOTHING_HERE)
    })
  })

  test('stands around a 404, which names the address that was probably meant', async () => {
    const nothing = (meant = '') => `${NOTHING_HERE}${meant && ` Did you mean ${meant}?`}`
    expectError(await api.get('/autors/'), 404, nothing('GET /api/authors/'))
    expectError(await api.get('/Authors?page=2'), 404, nothing('GET /api/authors/'))
    expectError(await api.get(`/autors/${uuid(1)}/`), 404, nothing(`GET /api/authors/${uuid(1)}/`))
    expectError(await api.post('/autors/', {}), 404, nothing('POST /api/authors/'))
    expectError(await api.delete('/autors/'), 404, nothing())
    expectError(await api.get('/invoices/'), 404, nothing())
    expectError(await api.get(`/${'x/'.repeat(5_000)}`), 404, nothing())
  })

  describe('stands around every 405, with Allow', () => {
    test.each<[Method, string, string[]]>([
      ['DELETE', '/authors/', ['GET', 'HEAD', 'OPTIONS', 'POST']],
      ['PUT', '/authors/', ['GET', 'HEAD', 'OPTIONS', 'POST']],
      ['PATCH', '/authors/', ['GET', 'HEAD', 'OPTIONS', 'POST']],
      ['POST', `/authors/${uuid(1)}/`, ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT']],
      ['POST', '/readonly/', ['GET', 'HEAD', 'OPTIONS']],
      ['PUT', `/readonly/${uuid(1)}/`, ['GET', 'HEAD', 'OPTIONS']],
      ['PATCH', `/readonly/${uuid(1)}/`, ['GET', 'HEAD', 'OPTIONS']],
      ['DELETE', `/readonly/${uuid(1)}/`, ['GET', 'HEAD', 'OPTIONS']],
      ['GET', '/authors/crash/', ['OPTIONS', 'POST']],
    ])('%s %s', async (method, path, allow) => {
      for (const asked of [path, path.slice(0, -1)]) {
        const response = await api.request(method, asked)
        expectNotAllowed(response, method)
        expect(allowed(response)).toEqual(allow)
      }
    })

    test('and the address that was probably meant', async () => {
      const meant = (path: string) => ` Did you mean POST /api${path}?`
      expectNotAllowed(await api.post('/authors/crash_sql/', {}), 'POST', meant('/authors/crash-sql/'))
      expectNotAllowed(await api.post('/authors/expor/?page=1', {}), 'POST', meant('/authors/export/'))
      expectNotAllowed(await api.post(`/authors/${uuid(1)}/`, {}), 'POST')
    })

    test('whatever the body is', async () => {
      const response = await api.request('PUT', '/authors/', { payload: '{"a":', headers: JSON_TYPE })
      expectNotAllowed(response, 'PUT')
    })

    test('HEAD where there is no GET', async () => {
      const response = await api.request('HEAD', '/authors/crash/')
      expect(response.status).toBe(405)
      expect(response.headers.allow).toBe('POST, OPTIONS')
      expect(response.text).toBe('')
    })
  })

  test.each([
    ['/authors/', ['GET', 'HEAD', 'OPTIONS', 'POST']],
    ['/authors', ['GET', 'HEAD', 'OPTIONS', 'POST']],
    [`/authors/${uuid(1)}/`, ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'PUT']],
    ['/readonly/', ['GET', 'HEAD', 'OPTIONS']],
    ['/authors/crash/', ['OPTIONS', 'POST']],
  ])('OPTIONS %s answers Allow and nothing else', async (path, allow) => {
    const response = await api.request('OPTIONS', path)
    expect(response.status).toBe(204)
    expect(allowed(response)).toEqual(allow)
    expect(response.text).toBe('')
    expect(Object.keys(response.headers).filter(name => name.startsWith('access-control'))).toEqual([])
  })

  test('HEAD answers the headers of GET', async () => {
    await seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ada' }] })
    for (const path of ['/authors/', `/authors/${uuid(1)}/`, '/authors/?paginated=false']) {
      const get = await api.get(path)
      const head = await api.request('HEAD', path)
      expect(head.status).toBe(200)
      expect(head.text).toBe('')
      expect(head.headers['content-type']).toBe(get.headers['content-type'])
      expect(head.headers['content-length']).toBe(get.headers['content-length'])
    }
    expect((await api.request('HEAD', `/authors/${uuid(9)}/`)).status).toBe(404)
  })

  test('is the same with and without a slash at the end of the path', async () => {
    await seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ada' }] })
    const data = { id: uuid(1), name: 'Ada' }
    for (const slash of ['', '/']) {
      expectSuccess(await api.get(`/authors${slash}`), 200, { count: 1, data: [{ ...data, index: 1 }] })
      expectSuccess(await api.get(`/authors/${uuid(1)}${slash}`), 200, { data })
    }
  })

  describe('stands around every body that cannot be read', () => {
    test.each([
      ['nothing at all', '', 'Send a JSON object.'],
      ['blanks', '  \n', 'The body is empty.'],
      [
        'half an object',
        '{"name":',
        'The body is not valid JSON at line 1, column 9: expected a value, but it ends there.',
      ],
      ['a word', 'name', 'The body is not valid JSON at line 1, column 1: expected a value, found "name".'],
      [
        'single quotes',
        "{'name':1}",
        `The body is not valid JSON at line 1, column 2: expected a key in double quotes, found "'".`,
      ],
      [
        'two values',
        '{}{}',
        'The body is not valid JSON at line 1, column 3: expected the end of the body, found "{".',
      ],
      ['depth', '['.repeat(100) + ']'.repeat(100), 'The body is nested deeper than 64 levels at line 1, column 65.'],
    ])('%s', async (_, payload, message) => {
      const response = await api.post('/authors/', undefined, { payload, headers: JSON_TYPE })
      expectError(response, 400, message, nonField(message))
    })

    test('text that is not UTF-8', async () => {
      const payload = Buffer.from([...Buffer.from('{"name":"'), 0xff, ...Buffer.from('"}')])
      const response = await api.post('/authors/', undefined, { payload, headers: JSON_TYPE })
      const message = 'The body is not valid UTF-8 at line 1, column 10. Send it as UTF-8.'
      expectError(response, 400, message, nonField(message))
    })

    test.each([
      ['{"a":{"__proto__":{"isAdmin":true}},"name":"x"}', 'a', 'The key "__proto__" is not allowed here.'],
      [
        '{"constructor":{"prototype":{"isAdmin":true}},"name":"x"}',
        'constructor',
        'The key "prototype" is not allowed here.',
      ],
    ])('%s, which reaches for a prototype', async (payload, path, message) => {
      expectInvalid(await api.post('/authors/', undefined, { payload, headers: JSON_TYPE }), { [path]: [message] })
      expect(({} as Record<string, unknown>).isAdmin).toBeUndefined()
    })

    test.each([
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/html',
      'application/jsonp',
      'application/json-patch+json',
    ])('%s is the wrong media type', async type => {
      const response = await api.post('/authors/', undefined, {
        payload: '{"name":"x"}',
        headers: { 'content-type': type },
      })
      expectError(response, 415, 'Send the body as application/json.')
      expect(await api.rows('authors')).toEqual([])
    })

    test('so is no media type', async () => {
      const response = await api.post('/authors/', undefined, { payload: '{"name":"x"}' })
      expectError(response, 415, 'Send the body as application/json.')
    })

    test.each([
      'application/json; charset=latin1',
      'application/json; charset=utf-16',
      'application/json;;;x',
      'application/json; charset',
      'application/json; charset=utf-8; charset=latin1',
    ])('%s says what the body is not', async type => {
      const response = await api.post('/authors/', undefined, {
        payload: '{"name":"x"}',
        headers: { 'content-type': type },
      })
      expectError(response, 415, 'Send the body as application/json, in UTF-8.')
      expect(await api.rows('authors')).toEqual([])
    })

    test.each([
      'application/json; charset=utf-8',
      'application/json;charset=UTF-8',
      'application/json; charset="utf-8"',
      'application/json; version=1; charset=utf8',
      'application/json;',
      'Application/JSON',
    ])('%s is the right one', async type => {
      const response = await api.post('/authors/', undefined, {
        payload: '{"name":"x"}',
        headers: { 'content-type': type },
      })
      expect(response.status).toBe(201)
    })

    test('one that is too large', async () => {
      const payload = JSON.stringify({ name: 'x'.repeat(1000) })
      for (const path of ['/authors/', '/nothing/']) {
        const response = await api.post(path, undefined, { payload, headers: JSON_TYPE })
        if (path === '/authors/') expectError(response, 413, 'The body is too large. The limit is 1000 bytes.')
        else expect([404, 413]).toContain(response.status)
      }
    })
  })

  describe('stands around every malformed URL', () => {
    test.each(['/authors/%zz/', '/authors/%/', '/authors/%c3%28/', '/%zz'])('%s', async path => {
      const response = await api.get(path)
      expectError(response, 400, 'The URL is malformed.', nonField('The URL is malformed.'))
      expect(response.headers['content-length']).toBe(String(Buffer.byteLength(response.text)))
    })
  })

  describe('refuses what no address can mean', () => {
    test.each([
      '/authors/?x=%00',
      '/authors/?%00=x',
      '/authors/?ordering=%00',
      '/authors/?x=%zz',
      '/authors/?page=%',
      '/authors/%00/',
    ])('GET %s', async path => {
      const response = await api.get(path)
      expect([response.status, JSON.parse(response.text)]).toMatchObject([400, { success: false, data: null }])
    })
  })

  describe('stands around every crash', () => {
    test.each(['crash', 'crash-string', 'crash-undefined', 'crash-sql'])('POST /authors/%s/', async action => {
      logged.length = 0
      const response = await api.post(`/authors/${action}/`)
      expect(response.status).toBe(500)
      const { message } = JSON.parse(response.text) as { message: string }
      const id =
        /^Something went wrong on our side\. Please quote error id ([0-9a-f-]{36})\.$/.exec(message)?.[1] ?? 'none'
      expectError(
        { ...response, text: response.text.replace(id, 'ID') },
        500,
        'Something went wrong on our side. Please quote error id ID.',
      )
      expect(response.text).not.toMatch(/secret|select|string/i)
      expect(logged).toHaveLength(1)
      expect(JSON.parse(logged[0] as string)).toMatchObject({
        errorId: id,
        reqId: response.headers['x-request-id'],
      })
      if (action === 'crash') expect(logged[0]).toContain('secret of the house')
    })

    test.each([
      ['POST', '/forgetful/', 'Does performCreate or performUpdate return the one that it has written?'],
      ['GET', '/forgetful/', 'finalize must return a Reply'],
    ] as const)('%s %s: the log says which hook has forgotten to return', async (method, path, hint) => {
      logged.length = 0
      const response = await api.request(method, path, method === 'POST' ? { body: { name: 'Ada' } } : {})
      expect(response.status).toBe(500)
      expect(logged.join()).toContain(hint)
      expect(await api.rows('authors')).toEqual([])
    })

    test('data that cannot be sent', async () => {
      const response = await api.get('/authors/circular/')
      expect(response.status).toBe(500)
      expect(JSON.parse(response.text)).toMatchObject({ success: false, data: null })
    })
  })
})
