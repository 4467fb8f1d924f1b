import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ConfigError, ServiceUnavailable } from 'viewset'
import { folder } from 'viewset/jobs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { describeJobFiles, keysOf } from '../support/job-files-rules.ts'
import { problemOf } from '../support/problem.ts'

let parent: string
let path: string
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'viewset-test-'))
  path = join(parent, 'var/jobs')
})
afterEach(() => rm(parent, { recursive: true, force: true }))

async function* one(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}

describeJobFiles(() => folder(path))

test('a folder that is missing is empty, and is made for nobody but its user', async () => {
  const files = folder(path)
  expect(await keysOf(files)).toEqual([])
  await files.put('uploads/a', one('x'))
  expect((await stat(path)).mode & 0o777).toBe(0o700)
  expect((await stat(join(path, 'uploads.a'))).mode & 0o777).toBe(0o600)
})

test('a file that is being put is no file yet', async () => {
  const files = folder(path)
  const goOn = Promise.withResolvers<void>()
  const half = Promise.withResolvers<void>()
  const slowly = async function* () {
    yield Buffer.from('first')
    half.resolve()
    await goOn.promise
    yield Buffer.from('second')
  }
  const put = files.put('a', slowly())
  await half.promise
  expect(await keysOf(files)).toEqual([])
  await expect(files.get('a')).rejects.toThrow('There is no file')
  goOn.resolve()
  await put
  expect(await keysOf(files)).toEqual(['a'])
  expect(await readdir(path)).toEqual(['a'])
})

test('what a killed process has left goes when it is a day old; what is not ours stays', async () => {
  const files = folder(path)
  await files.put('a', one('x'))
  const old = '.0b7cbd4b-8a13-4b25-9a45-0f1f5f7b8d01'
  const young = '.0b7cbd4b-8a13-4b25-9a45-0f1f5f7b8d02'
  for (const name of [old, young, 'README', '.gitkeep']) {
    await writeFile(join(path, name), 'part')
    const days = name === young ? 0 : 2
    await utimes(join(path, name), new Date(), new Date(Date.now() - days * 86_400_000))
  }
  expect(await keysOf(files)).toEqual(['a'])
  expect((await readdir(path)).sort()).toEqual([young, '.gitkeep', 'README', 'a'].sort())
})

test('a folder that cannot be written to is a 503, and says nothing of paths', async () => {
  await writeFile(join(parent, 'var'), 'a file')
  const refused = folder(path).put('a', one('x'))
  await expect(refused).rejects.toThrow(ServiceUnavailable)
  await expect(refused).rejects.toThrow('The server cannot store files at the moment. Please try again later.')
})

test('a relative path stays the one that it was at start', async () => {
  const before = process.cwd()
  process.chdir(parent)
  try {
    const files = folder('here')
    process.chdir(tmpdir())
    await files.put('a', one('x'))
    expect(await readdir(join(parent, 'here'))).toEqual(['a'])
  } finally {
    process.chdir(before)
  }
})

test('a folder that cannot be made stops the start, and one that is only missing does not', async () => {
  folder(path).check?.()
  expect(await readdir(parent)).toEqual([])
  const blocked = join(parent, 'var')
  await writeFile(blocked, 'a file')
  expect(problemOf(() => folder(path).check?.())).toBe(
    `api.jobs: files: the files of jobs cannot be stored: this process may not write to "${blocked}" (ENOTDIR); ` +
      "make it writable, or give another folder: files: folder('data/jobs')",
  )
})

test('an empty path is none', () => {
  expect(() => folder('')).toThrow(new ConfigError('folder', 'path', 'must be the path of a folder'))
})
