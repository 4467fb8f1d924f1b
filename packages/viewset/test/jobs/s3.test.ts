import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type FauxqsServer, startFauxqs } from 'fauxqs'
import { ConfigError, ServiceUnavailable } from 'viewset'
import { type S3Options, s3 } from 'viewset/jobs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { describeJobFiles, keysOf } from '../support/job-files-rules.ts'

const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' }

let store: FauxqsServer
beforeAll(async () => {
  store = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false })
  store.createBucket('jobs')
})
afterAll(() => store.stop())

const open = (options: Partial<S3Options> = {}) =>
  s3({ bucket: 'jobs', endpoint: `http://127.0.0.1:${store.port}`, credentials, ...options })

async function* one(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

describe('the rules of files of jobs', () => describeJobFiles(() => open({ prefix: 'rules/' })))

test('a prefix keeps others in the bucket apart, and so does a key that is not ours', async () => {
  const files = open({ prefix: 'shop/jobs/' })
  const others = open({ prefix: 'shop/' })
  await files.put('a', one('mine'))
  await others.put('jobs2/b', one('theirs'))
  await open({ prefix: 'shop/jobs/README.' }).put('md', one('a text'))
  expect(await keysOf(files)).toEqual(['a'])
  expect(await keysOf(others)).toEqual(['jobs/a', 'jobs2/b'])
  await files.remove('b')
  expect(String(await buffer(await others.get('jobs/a')))).toBe('mine')
})

test('lists more files than the store tells at once', async () => {
  const files = open({ prefix: 'many/' })
  const keys = Array.from({ length: 1_010 }, (_, i) => `file-${String(i).padStart(4, '0')}`)
  for (let i = 0; i < keys.length; i += 50) {
    await Promise.all(keys.slice(i, i + 50).map(key => files.put(key, one('x'))))
  }
  expect(await keysOf(files)).toEqual(keys)
})

test('keys may be found when they are asked for', async () => {
  const files = open({ prefix: 'asked/', credentials: async () => credentials })
  await files.put('a', one('x'))
  expect(await keysOf(files)).toEqual(['a'])
})

test('a bucket that is missing is a 503 that says nothing of it, and no missing file', async () => {
  const files = open({ bucket: 'nowhere' })
  const sentence = 'The server cannot reach its files at the moment. Please try again later.'
  for (const ask of [() => files.put('a', one('x')), () => files.get('a'), () => keysOf(files)]) {
    const error = await ask().catch(thrown => thrown)
    expect(error).toBeInstanceOf(ServiceUnavailable)
    expect(error).toMatchObject({ message: sentence, cause: { name: 'NoSuchBucket' } })
  }
})

describe('a store that fails', () => {
  let asked = 0
  let broken: Server
  let files: ReturnType<typeof s3>
  beforeAll(async () => {
    broken = createServer((request, response) => {
      asked++
      request.resume().on('end', () => response.writeHead(500).end())
    }).listen(0, '127.0.0.1')
    await once(broken, 'listening')
    files = open({ endpoint: `http://127.0.0.1:${(broken.address() as AddressInfo).port}` })
  })
  afterAll(() => {
    broken.closeAllConnections()
    broken.close()
  })

  test('is asked again before it is a 503', async () => {
    await expect(files.put('a', one('x'))).rejects.toThrow(ServiceUnavailable)
    expect(asked).toBe(3)
  })

  test('is a 503 where nothing listens', async () => {
    const away = open({ endpoint: 'http://127.0.0.1:1' })
    await expect(away.get('a')).rejects.toThrow(ServiceUnavailable)
    await expect(away.remove('a')).rejects.toThrow(ServiceUnavailable)
  })
})

test.each<[object, string, string]>([
  [{}, 'bucket', 'name the bucket that the files are kept in'],
  [{ bucket: '' }, 'bucket', 'name the bucket that the files are kept in'],
  [{ bucket: 'a', endpoint: 'minio:9000' }, 'endpoint', 'must be an address such as "https://minio.example.org:9000"'],
  [{ bucket: 'a', endpoint: 'minio' }, 'endpoint', 'must be an address such as "https://minio.example.org:9000"'],
  [{ bucket: 'a', pathStyle: 'yes' }, 'pathStyle', 'must be true or false, not "yes"'],
  [{ bucket: 'a', prefx: 'b' }, 'prefx', 'unknown option; did you mean "prefix"?'],
])('options %j are refused at start', (options, key, problem) => {
  expect(() => s3(options as S3Options)).toThrow(new ConfigError('s3', key, problem))
})
