import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { START_OPTIONS } from '../support/node-options.ts'

const packageRoot = join(import.meta.dirname, '../..')

/** What a program prints. */
async function printed(flags: readonly string[], program: string): Promise<unknown> {
  const args = [...flags, '--input-type=module', '--eval', program]
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd: packageRoot })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

describe('node --import viewset/fast-drizzle', () => {
  const program = `
    import { createRequire } from 'node:module'
    import { eq } from 'drizzle-orm'
    import { text } from 'drizzle-orm/sqlite-core'
    import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
    const require = createRequire(import.meta.url)
    const same = [
      eq === require('drizzle-orm').eq,
      text === require('drizzle-orm/sqlite-core').text,
      migrate === require('drizzle-orm/better-sqlite3/migrator').migrate,
    ]
    console.log(JSON.stringify(same))`

  test('gives imports of Drizzle its CommonJS modules, which Node has otherwise for require() only', async () => {
    expect(await printed(START_OPTIONS, program)).toEqual([true, true, true])
    expect(await printed([], program)).toEqual([false, false, false])
  })

  test('leaves all other packages as they are, and what does not exist does not exist', async () => {
    const others = `
      import * as z from 'zod'
      import { createRequire } from 'node:module'
      const missing = await import('drizzle-orm/nothing').catch(error => error.code)
      console.log(JSON.stringify([z.string === createRequire(import.meta.url)('zod').string, missing]))`
    expect(await printed(START_OPTIONS, others)).toEqual([false, 'ERR_PACKAGE_PATH_NOT_EXPORTED'])
  })
})
