import Fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { accessibilityViolations, useBrowser } from '../support/browser.ts'

// What the tests of pages rely on: a page that does what it should not is found.
const browser = useBrowser()
let app: FastifyInstance
let address: string

const PAGES: Readonly<Record<string, string>> = {
  throws: '<script>throw new Error("oh")</script>',
  logs: '<script>console.error("oh")</script>',
  leaves: '<img src="http://other.invalid/" alt="">',
  names: '<img src="data:,">',
}

beforeAll(async () => {
  app = Fastify()
  app.get<{ Params: { name: string } }>('/:name', (request, reply) =>
    reply.type('text/html').send(`<!doctype html><title>A page</title>${PAGES[request.params.name]}`),
  )
  app.get('/strict', (_request, reply) =>
    reply.type('text/html').header('content-security-policy', "script-src 'self'").send('<script>alert()</script>'),
  )
  address = await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => app.close())

async function problemsOf(name: string): Promise<readonly string[]> {
  const page = await browser.newPage()
  await page.goto(`${address}/${name}`, { waitUntil: 'networkidle' })
  return browser.problems.splice(0)
}

test('a page that throws, logs an error, breaks its policy or asks another host is found', async () => {
  expect(await problemsOf('throws')).toEqual(['threw oh'])
  expect(await problemsOf('logs')).toEqual(['logged oh'])
  expect(await problemsOf('strict')).toEqual([
    expect.stringMatching(/^logged .*Content Security Policy directive 'script-src 'self''/),
  ])
  expect(await problemsOf('leaves')).toEqual([
    'asked http://other.invalid',
    'logged Failed to load resource: net::ERR_NAME_NOT_RESOLVED',
  ])
})

test('what is wrong for people who do not see the page is found', async () => {
  const page = await browser.newPage()
  await page.goto(`${address}/names`)
  expect(await accessibilityViolations(page)).toMatchObject({ 'image-alt': ['img'], 'html-has-lang': ['html'] })
})
