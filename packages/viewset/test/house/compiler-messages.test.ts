import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../types/messages')
const compiler = join(import.meta.dirname, '../../../../node_modules/typescript/bin/tsc')

/** What the compiler says, by the mistake: the line of the source that it is about, and the lines of the message. */
async function messages(): Promise<readonly string[][]> {
  const said = await new Promise<string>(resolve => {
    execFile(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], (_error, stdout) => resolve(stdout))
  })
  const source = (await readFile(join(folder, 'wrong-keys.ts'), 'utf8')).split('\n')
  const found: string[][] = []
  for (const line of said.trimEnd().split('\n')) {
    const [, at, message] = /wrong-keys\.ts\((\d+),\d+\): error TS\d+: (.*)$/.exec(line) ?? []
    if (at !== undefined && message !== undefined) found.push([String(source[Number(at) - 1]), message])
    else found.at(-1)?.push(line.trim())
  }
  return found
}

test('a wrong key or value is told by its name with what would be right, in at most five lines', async () => {
  const said = await messages()
  for (const [mistake, ...lines] of said) expect([mistake, lines.length <= 5]).toEqual([mistake, true])
  await expect(`${said.map(lines => lines.join('\n  ')).join('\n\n')}\n`).toMatchFileSnapshot(
    '../types/messages/expected.txt',
  )
}, 120_000)
