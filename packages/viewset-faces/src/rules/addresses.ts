import assert from 'node:assert/strict'
import { expectRefusal, expectSuccess } from '../expect.ts'
import type { FaceContext, FaceRules } from '../face-context.ts'

interface Named {
  readonly name: string
  readonly url: string
}

/** Lists and links are under the prefix, and paths beside it do not belong to the API. */
async function expectPrefix(context: FaceContext, prefix: string): Promise<void> {
  await context.with({ prefix }, async api => {
    await context.store(['one', 'two'])
    const root = await api.ask('/')
    expectSuccess(root)
    assert.deepEqual(
      root.data<readonly Named[]>().map(({ url }) => url),
      [`${api.url}/notes/`, `${api.url}/pages/`],
    )
    for (const { url } of root.data<readonly Named[]>()) assert.equal((await fetch(url)).status, 200)
    const list = await api.ask('/notes/?page_size=1')
    assert.equal(list.envelope().next, `${api.url}/notes/?page_size=1&page=2`)
    expectRefusal(await api.ask('/nothing/'), 404)
  })
}

export const addressRules: FaceRules = {
  'an address is the same with and without a slash at its end': async context => {
    const api = await context.api()
    await context.store(['one'])
    for (const path of ['/notes', '/notes/', '/notes?page_size=1', '/notes/?page_size=1', '']) {
      const answer = await api.ask(path)
      expectSuccess(answer)
      assert.equal(answer.data<readonly unknown[]>().length, path === '' ? 2 : 1, path)
    }
  },

  'the root is a page for a browser, whose links lead to the lists': async context => {
    const api = await context.api()
    for (const [path, base] of [
      ['', api.url],
      ['/', `${api.url}/`],
    ] as const) {
      const page = await api.ask(path, { headers: { accept: 'text/html, */*;q=0.8' } })
      assert.equal(page.status, 200)
      assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
      assert.match(String(page.headers.vary), /\bAccept\b/i)
      const links = [...page.text.matchAll(/<li><a href="([^"]*)"/g)].map(([, link = '']) => new URL(link, base).href)
      assert.deepEqual(links, [`${api.url}/notes/`, `${api.url}/pages/`])
    }
  },

  'a prefix may have several parts': context => expectPrefix(context, '/v1/api'),
  'a prefix may be empty': context => expectPrefix(context, ''),
  'a prefix may have parameters': context => expectPrefix(context, '/:tenant/api'),

  'an action sees the parameters of the prefix': async context => {
    await context.with({ prefix: '/:tenant/api' }, async api => {
      const { params } = (await api.ask('/notes/echo/', { method: 'POST' })).data<{ params: object }>()
      assert.deepEqual(params, { tenant: 'acme' })
    })
  },

  'what only begins like the prefix is not answered by the API': async context => {
    const api = await context.api()
    const response = await fetch(`${api.url}x/notes/`)
    assert.equal(response.status, 404)
    await response.arrayBuffer()
  },

  'a URL that cannot be decoded is a 400, wherever it leads': async context => {
    const api = await context.api()
    for (const path of [
      '/notes/%zz/',
      '/%zz/',
      '/notes/%c3%28/',
      '/notes/%00/',
      '/notes/?search=%00',
      '/notes/?search=%zz',
    ]) {
      expectRefusal(await api.ask(path), 400)
    }
  },

  'a path is decoded once': async context => {
    const api = await context.api()
    await context.store(['one'])
    const [note] = (await api.ask('/notes/')).data<readonly { readonly id: string }[]>()
    assert.ok(note)
    expectSuccess(await api.ask(`/notes/%${note.id.charCodeAt(0).toString(16)}${note.id.slice(1)}/`))
    expectRefusal(await api.ask('/%256eotes/'), 404)
    expectRefusal(await api.ask('/notes%2ffile/'), 404)
  },

  'a part of a path that is encoded without need is a 404: a guard by path does not decode': async context => {
    const api = await context.api()
    for (const path of ['/%6eotes/', '/%6Eotes', '/notes/f%69le/', '/notes/%65xport/']) {
      for (const method of ['GET', 'POST', 'PUT', 'OPTIONS']) expectRefusal(await api.ask(path, { method }), 404)
    }
  },

  'a parameter of the query that is given twice is not chosen from': async context => {
    const api = await context.api()
    expectRefusal(await api.ask('/notes/?page_size=1&page_size=2'), 400)
    const { query } = (await api.ask('/notes/echo/?a=1&a=2&b=%C3%BC+x&c', { method: 'POST' })).data<{ query: object }>()
    assert.deepEqual(query, { a: ['1', '2'], b: 'ü x', c: '' })
  },

  'names of JavaScript are names like others in a query': async context => {
    const api = await context.api()
    const path = '/notes/echo/?__proto__=x&constructor=y'
    const text = (await api.ask(path, { method: 'POST' })).text
    assert.ok(text.includes('"constructor":"y"'), text)
    assert.equal(({} as { x?: unknown }).x, undefined)
  },

  'what a stranger says of the host is in no link': async context => {
    const api = await context.api()
    await context.store(['one', 'two'])
    const answer = await api.ask('/notes/?page_size=1', {
      headers: {
        'x-forwarded-host': 'evil.example',
        'x-forwarded-proto': 'https',
        'x-forwarded-prefix': '/evil',
        forwarded: 'host=evil.example;proto=https',
      },
    })
    assert.equal(answer.envelope().next, `${api.url}/notes/?page_size=1&page=2`)
  },

  'links start with baseUrl, where it is given': async context => {
    await context.store(['one', 'two'])
    await context.with({ baseUrl: 'https://api.example.org' }, async api => {
      const { next } = (await api.ask('/notes/?page_size=1')).envelope()
      assert.equal(next, 'https://api.example.org/v1/api/notes/?page_size=1&page=2')
    })
  },

  'a host that is none is in no answer': async context => {
    const api = await context.api()
    await context.store(['one', 'two'])
    for (const host of ['evil.example"><script>', 'evil.example/path', 'user@evil.example', 'a b']) {
      const connection = api.connect()
      const head = api.head('GET', '/notes/?page_size=1', 'connection: close')
      connection.send(head.replace('localhost', host))
      await connection.closed
      const [answer] = connection.responses
      assert.equal(answer?.status, 400, host)
      assert.ok(!answer.text.includes(host), answer.text)
    }
  },

  'two hosts are a 400': async context => {
    const api = await context.api()
    const connection = api.connect().send(api.head('GET', '/notes/', 'host: evil.example', 'connection: close'))
    await connection.closed
    const [answer] = connection.responses
    assert.ok(answer)
    expectRefusal(answer, 400, 'Send one Host header.')
  },
}
