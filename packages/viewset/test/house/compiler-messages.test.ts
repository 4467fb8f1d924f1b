import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const folder = join(import.meta.dirname, '../types/messages')
const compiler = join(import.meta.dirname, '../../../../node_modules/typescript/bin/tsc')

let compiled: Promise<string> | undefined

/** All that the compiler says of the folder. */
function compile(): Promise<string> {
  compiled ??= new Promise(resolve => {
    execFile(process.execPath, [compiler, '-p', folder, '--pretty', 'false'], (_error, stdout) => resolve(stdout))
  })
  return compiled
}

/** What it says of a file, by the mistake: the line of the source that it is about, and the lines of the message. */
async function messages(file: string): Promise<readonly string[][]> {
  const said = await compile()
  const source = (await readFile(join(folder, `${file}.ts`), 'utf8')).split('\n')
  const found: string[][] = []
  let isOfFile = false
  for (const line of said.trimEnd().split('\n')) {
    const [, name, at, message] = /([\w-]+)\.ts\((\d+),\d+\): error TS\d+: (.*)$/.exec(line) ?? []
    if (name !== undefined) isOfFile = name === file
    if (!isOfFile) continue
    if (message !== undefined) found.push([String(source[Number(at) - 1]), message])
    else found.at(-1)?.push(line.trim())
  }
  return found
}

test.each([
  ['a wrong key or value is told by its name with what would be right', 'wrong-keys', 'expected'],
  ['the name of a table stands for its columns', 'named-tables', 'named'],
  ['a client shows plain types, and a wrong call is told by what would be right', 'client', 'client'],
])(
  '%s, in at most five lines',
  async (_, file, expected) => {
    const said = await messages(file)
    for (const [mistake, ...lines] of said) {
      expect([mistake, lines.length <= 5]).toEqual([mistake, true])
      expect([mistake, lines.join().length <= (file === 'named-tables' ? 1_100 : 1_500)]).toEqual([mistake, true])
    }
    await expect(`${said.map(lines => lines.join('\n  ')).join('\n\n')}\n`).toMatchFileSnapshot(
      `../types/messages/${expected}.txt`,
    )
  },
  120_000,
)
