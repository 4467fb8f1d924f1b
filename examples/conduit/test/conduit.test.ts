import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { OpenApiDocument } from 'viewset'
import { createTestDatabase } from 'viewset/testing'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type {} from '../../../packages/viewset/test/support/global-setup.ts'
import { createConduit } from '../src/app.ts'
import { openDatabase } from '../src/database.ts'

const file = join(tmpdir(), `conduit-${process.pid}.db`)
const secret = 'a secret of the tests, longer than 32 bytes'

describe.each(['sqlite', 'pg'])('%s', name => {
  let app: FastifyInstance
  const ends: (() => unknown)[] = []

  beforeAll(async () => {
    if (name === 'pg') {
      const { url, drop } = await createTestDatabase({ postgres: inject('postgresUrl') })
      ends.push(drop)
      app = await createConduit(await openDatabase({ DATABASE_URL: url }), secret)
    } else {
      ends.push(() => rmSync(file, { force: true }))
      app = await createConduit(await openDatabase({ CONDUIT_FILE: file }), secret)
    }
  })
  afterAll(async () => {
    await app.close()
    for (const end of ends) await end()
  })

  type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
  async function ask(method: Method, url: string, payload?: object, token?: string) {
    const headers = token === undefined ? {} : { authorization: `Token ${token}` }
    const answer = await app.inject({ method, url: `/api${url}`, headers, ...(payload && { payload }) })
    return { status: answer.statusCode, body: answer.body === '' ? null : answer.json() }
  }

  async function register(username: string): Promise<string> {
    const user = { username, email: `${username}@example.org`, password: 'long enough' }
    return (await ask('POST', '/users', { user })).body.user.token
  }
  const article = { title: 'A Title', description: 'd', body: 'b', tagList: ['b-tag', 'a-tag'] }

  test('an article has its author, its tags and what the reader has done with it', async () => {
    const [ann, ben] = [await register('ann'), await register('ben')]
    const created = await ask('POST', '/articles', { article }, ann)
    expect(created).toMatchObject({ status: 201, body: { article: { slug: 'a-title', favorited: false } } })
    expect(created.body.article).toMatchObject({ tagList: ['a-tag', 'b-tag'], author: { username: 'ann', bio: null } })
    const again = await ask('POST', '/articles', { article }, ann)
    expect(again.body.article.slug).not.toBe('a-title')
    await ask('POST', '/articles/a-title/favorite', undefined, ben)
    const favored = await ask('POST', '/articles/a-title/favorite', undefined, ben)
    expect(favored).toMatchObject({ status: 200, body: { article: { favorited: true, favoritesCount: 1 } } })
    expect((await ask('GET', '/articles/a-title', undefined, ann)).body.article).toMatchObject({ favorited: false })
    await ask('POST', '/profiles/ann/follow', undefined, ben)
    const feed = await ask('GET', '/articles/feed?limit=1', undefined, ben)
    expect(feed.body).toMatchObject({ articlesCount: 2, articles: [{ author: { following: true } }] })
    expect(feed.body.articles[0].body).toBeUndefined()
    for (const [query, count] of Object.entries({ 'author=ann': 2, 'favorited=ben': 1, 'tag=a-tag': 2, 'tag=x': 0 })) {
      expect((await ask('GET', `/articles?${query}`)).body.articlesCount, query).toBe(count)
    }
    expect((await ask('GET', '/tags')).body.tags).toEqual(['a-tag', 'b-tag'])
  })

  test('comments belong to their article, and only their author deletes them', async () => {
    const [cid, dan] = [await register('cid'), await register('dan')]
    await ask('POST', '/articles', { article: { ...article, title: 'Other' } }, cid)
    const { body } = await ask('POST', '/articles/other/comments', { comment: { body: 'Yes.' } }, cid)
    expect(body.comment).toMatchObject({ body: 'Yes.', author: { username: 'cid' } })
    const path = `/articles/other/comments/${body.comment.id}`
    expect(await ask('DELETE', path, undefined, dan)).toEqual({
      status: 403,
      body: { errors: { comment: ['forbidden'] } },
    })
    expect((await ask('DELETE', path, undefined, cid)).status).toBe(204)
    expect((await ask('GET', '/articles/none/comments')).body).toEqual({ errors: { article: ['not found'] } })
  })

  test('an account is read and changed by its token', async () => {
    const eva = await register('eva')
    const changed = await ask('PUT', '/user', { user: { bio: '', image: 'x', password: 'another one' } }, eva)
    expect(changed.body.user).toMatchObject({ username: 'eva', bio: null, image: 'x', token: expect.any(String) })
    const login = { email: 'eva@example.org', password: 'another one' }
    expect((await ask('POST', '/users/login', { user: login })).status).toBe(200)
    const wrong = await ask('POST', '/users/login', { user: { ...login, password: 'long enough' } })
    expect(wrong).toEqual({ status: 401, body: { errors: { credentials: ['invalid'] } } })
    expect(await ask('GET', '/user')).toEqual({ status: 401, body: { errors: { token: ['is missing'] } } })
  })

  test('the description has the names of the wire, and no body that may be anything', async () => {
    const document: OpenApiDocument = (await app.inject('/api/openapi.json')).json()
    const { schemas = {} } = document.components
    expect(Object.keys((schemas.Article as { properties: object }).properties)).toContain('favoritesCount')
    const bodies = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, { responses?: Record<string, { content?: Record<string, unknown> }> }>)
        .filter(([method]) => method !== 'parameters')
        .flatMap(([method, { responses = {} }]) =>
          Object.entries(responses).map(([status, { content }]) => [
            `${method} ${path} ${status}`,
            content?.['application/json'],
          ]),
        ),
    )
    expect(bodies.filter(([, content]) => JSON.stringify(content) === '{"schema":{}}')).toEqual([])
  })

  test('errors name their fields', async () => {
    const blank = await ask('POST', '/users', { user: { username: '', email: 'f@example.org', password: '' } })
    expect(blank.status).toBe(422)
    expect(blank.body.errors).toMatchObject({ username: ["can't be blank"] })
    expect(blank.body.errors.password[0]).toBe("can't be blank")
    await register('gil')
    const taken = { username: 'gil', email: 'other@example.org', password: 'long enough' }
    expect(await ask('POST', '/users', { user: taken })).toEqual({
      status: 409,
      body: { errors: { username: ['has already been taken'] } },
    })
    expect((await ask('POST', '/articles', { article }, 'no-token')).status).toBe(401)
    expect((await ask('POST', '/articles', {}, await register('hal'))).status).toBe(422)
  })
})
