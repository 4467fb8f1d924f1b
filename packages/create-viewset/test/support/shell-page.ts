import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Block, blocksOf, isAsSaid, PROJECT_PAGES, root } from '../../../viewset/test/support/snippets.ts'
import { run } from '../../src/run.ts'
import { Projects, type Running, start, workspace } from './projects.ts'

/*
 * A page of the guide that a reader follows in a terminal. Its blocks are taken in their order:
 *
 * - ```sh is run in the project; the ```text or ```json block behind it is what it prints. "…" stands for anything.
 *   `npm start` starts the server, and stops the one before. `npm run create` writes the project.
 *   `npm ci && npm start` starts the atlas of the clone;
 * - a block with file=path is written into the project;
 * - a block with shows=path is a part of a file of the project.
 */

const ADDRESS = /127\.0\.0\.1:3000/g

/** Commands that the test leaves out: the workspace has the packages, and the project its place. */
const LEFT_OUT = /^(npm ci|npm install .*|git clone .*|cd .*)$/

const CREATE = 'npm run create -- '

/** A difference between a page and what its commands do. */
export interface Difference {
  /** Where the block begins. */
  readonly at: string
  readonly expected: unknown
  readonly actual: unknown
}

export class ShellPage {
  readonly #path: string
  readonly #port: number
  readonly #projects: Projects
  /** Variables that earlier blocks have set. */
  #variables = ''
  #server: Running | undefined

  private constructor(path: string, port: number, projects: Projects) {
    this.#path = path
    this.#port = port
    this.#projects = projects
  }

  static async open(path: string, port: number): Promise<ShellPage> {
    return new ShellPage(path, port, await Projects.create())
  }

  /** Follows the page to its end. Returns the first difference. */
  async follow(): Promise<Difference | undefined> {
    const page = await readFile(join(root, this.#path), 'utf8')
    const [followed = ''] = page.split(PROJECT_PAGES[this.#path] ?? '\0')
    const blocks = blocksOf(this.#path, followed)
    for (const [index, block] of blocks.entries()) {
      const at = `${this.#path}:${block.start}`
      const [, path = ''] = /\b(?:file|shows)=(\S+)/.exec(block.info) ?? []
      const text = `${block.lines.join('\n')}\n`
      if (block.info.startsWith('file=')) await this.#write(path, text)
      else if (block.info.startsWith('shows=')) {
        const actual = await readFile(this.#inProject(path), 'utf8')
        if (!actual.includes(text)) return { at, expected: text, actual }
      } else if (block.language === 'sh') {
        const expected = expectedBehind(blocks[index + 1])
        const printed = await this.#run(text, at, String(expected).split('\n').length)
        const actual = typeof expected === 'string' ? printed : asJson(printed)
        if (expected !== undefined && !isAsSaid(expected, actual)) return { at, expected, actual }
      }
    }
    return undefined
  }

  async close(): Promise<void> {
    await this.#server?.stop()
    await this.#projects.remove()
  }

  #inProject(path: string): string {
    return join(this.#projects.folder, 'my-api', path)
  }

  async #write(path: string, text: string): Promise<void> {
    await mkdir(dirname(this.#inProject(path)), { recursive: true })
    await writeFile(this.#inProject(path), text.replace(ADDRESS, `127.0.0.1:${this.#port}`))
  }

  /** Runs a block of commands. Returns what it prints, as the page shows it. */
  async #run(block: string, at: string, expectedLines: number): Promise<string> {
    const lines = block.trimEnd().split('\n')
    const create = lines.find(line => line.startsWith(CREATE))
    const created = create === undefined ? '' : await this.#create(create.slice(CREATE.length).split(' '))
    if (lines.includes('npm ci && npm start')) return this.#startAtlas(expectedLines)
    if (lines.includes('npm start')) return this.#start(expectedLines)
    const script = lines.filter(line => line !== create && !LEFT_OUT.test(line)).join('\n')
    if (script === '') return created
    const printed = await this.#bash(this.#variables + script, at)
    for (const line of lines.filter(line => /^[A-Z]+=/.test(line))) this.#variables += `${line}\n`
    return this.#shown(`${created}\n${printed}`)
  }

  async #create(args: readonly string[]): Promise<string> {
    const printed: string[] = []
    const cwd = join(this.#projects.folder, 'clone')
    await run([...args, '--no-install'], { cwd, terminal: undefined, print: text => printed.push(text) })
    await this.#write('node_modules/.bin/viewset', COMMAND)
    await chmod(this.#inProject('node_modules/.bin/viewset'), 0o755)
    return printed.join('\n').replace('  npm install\n', '')
  }

  #start(lines: number): Promise<string> {
    return this.#serve(lines, this.#inProject('.'), workspace, ['start.js'])
  }

  #startAtlas(lines: number): Promise<string> {
    const variables = { ...workspace, INIT_CWD: root, ATLAS_DATA_DIR: join(this.#projects.folder, 'atlas') }
    const command = ['--import', 'viewset/fast-drizzle', 'src/main.ts']
    return this.#serve(lines, join(root, 'examples/atlas'), variables, command)
  }

  async #serve(lines: number, cwd: string, variables: NodeJS.ProcessEnv, command: readonly string[]): Promise<string> {
    await this.#server?.stop()
    this.#server = await start(cwd, variables, command, { port: this.#port, lines })
    return this.#shown(this.#server.printed)
  }

  async #bash(script: string, at: string): Promise<string> {
    const options = { cwd: this.#inProject('.'), env: { ...workspace, PORT: String(this.#port) } }
    const text = script.replace(ADDRESS, `127.0.0.1:${this.#port}`).replace('npm run typecheck --silent', TYPECHECK)
    const shell = spawn('bash', ['-euc', text], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    const printed = ['', '']
    shell.stdout.on('data', chunk => (printed[0] += chunk))
    shell.stderr.on('data', chunk => (printed[1] += chunk))
    const [code] = await once(shell, 'close')
    if (code !== 0) throw new Error(`${at} ends with ${code}: ${printed.join('\n')}`)
    return printed[0] ?? ''
  }

  /** Without the lines by which npm repeats a command, and at the address of the page. */
  #shown(printed: string): string {
    const lines = printed.replaceAll(`127.0.0.1:${this.#port}`, '127.0.0.1:3000').split('\n')
    return lines
      .filter(line => !line.startsWith('> '))
      .join('\n')
      .replaceAll('\r', '')
      .trim()
  }
}

/** Here, `viewset` is its sources. */
const TYPECHECK =
  'tsc -p . --customConditions viewset-source --lib es2024,esnext.disposable --exactOptionalPropertyTypes'

/** The command of the package, from its sources. */
const COMMAND = `#!/bin/sh
exec node ${join(root, 'packages/viewset/src/cli/main.ts')} "$@"
`

function expectedBehind(block: Block | undefined): unknown {
  if (block === undefined || block.info !== '') return undefined
  const text = block.lines.join('\n').trim()
  if (block.language === 'json') return JSON.parse(text)
  return block.language === 'text' || block.language === 'csv' ? text : undefined
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
