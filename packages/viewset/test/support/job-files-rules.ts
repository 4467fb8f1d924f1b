import { randomUUID } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { JobFileMissing, type JobFiles } from 'viewset/jobs'
import { expect, test } from 'vitest'

const MEGABYTE = 1024 ** 2

/** What every store of files of jobs does, wherever it keeps them. */
export function describeJobFiles(open: () => JobFiles): void {
  test('what is put is got, byte by byte', async () => {
    const files = open()
    for (const parts of [[], [Buffer.from([0, 255, 10])], pattern(3), pattern(18)]) {
      await files.put('results/one', stream(parts))
      expect((await buffer(await files.get('results/one'))).equals(Buffer.concat(parts))).toBe(true)
    }
  })

  test('what is put takes the place of what was there', async () => {
    const files = open()
    await files.put('twice', stream(pattern(2)))
    await files.put('twice', stream([Buffer.from('second')]))
    expect(String(await buffer(await files.get('twice')))).toBe('second')
  })

  test('a file that breaks off is not there, and the one before it stays', async () => {
    const files = open()
    await expect(files.put('broken', breaking(pattern(12)))).rejects.toThrow('the upload broke off')
    await expect(files.get('broken')).rejects.toThrow(JobFileMissing)
    await files.put('kept', stream([Buffer.from('whole')]))
    await expect(files.put('kept', breaking(pattern(12)))).rejects.toThrow('the upload broke off')
    expect(String(await buffer(await files.get('kept')))).toBe('whole')
  })

  test('what is removed is missing, and to remove it again is no error', async () => {
    const files = open()
    await files.put('gone', stream([Buffer.from('x')]))
    await files.remove('gone')
    await files.remove('gone')
    await expect(files.get('gone')).rejects.toThrow('There is no file of a job with the key gone.')
  })

  test('lists what is there, with the time at which it was put', async () => {
    const files = open()
    const keys = ['uploads/a', 'uploads/b-1', `results/${randomUUID()}`, 'c']
    const before = Date.now()
    for (const key of keys) await files.put(key, stream([Buffer.from(key)]))
    const listed = new Set<string>()
    for await (const { key, storedAt } of files.list()) {
      listed.add(key)
      // Stores round to seconds.
      expect(Math.abs(storedAt.getTime() - before)).toBeLessThan(60_000)
    }
    expect([...listed]).toEqual(expect.arrayContaining(keys))
  })

  test.each(['', '/etc/passwd', '../up', 'a/../b', 'a//b', 'a/', 'A', 'a.b', 'a\\b', 'a b', 'ä', 'a\n'])(
    'has no place for the key %j',
    async key => {
      const files = open()
      const sentence = `${JSON.stringify(key)} cannot be the key of a file of a job.`
      await expect(files.put(key, stream([]))).rejects.toThrow(sentence)
      await expect(files.get(key)).rejects.toThrow(sentence)
      await expect(files.remove(key)).rejects.toThrow(sentence)
    },
  )
}

export async function keysOf(files: JobFiles): Promise<string[]> {
  const keys: string[] = []
  for await (const { key } of files.list()) keys.push(key)
  return keys
}

/** Megabytes that differ. */
function pattern(megabytes: number): Buffer[] {
  return Array.from({ length: megabytes }, (_, i) => Buffer.alloc(MEGABYTE, `${i}-`))
}

async function* stream(parts: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* parts
}

async function* breaking(parts: readonly Buffer[]): AsyncGenerator<Uint8Array> {
  yield* parts
  throw new Error('the upload broke off')
}
