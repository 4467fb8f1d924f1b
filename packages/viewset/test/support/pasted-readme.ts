import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { CONDITIONS } from './node-options.ts'
import { env, type Page, packageRoot } from './snippets.ts'

const run = promisify(execFile)

/** Any free port in place of the one that the page has. */
const PRELOAD = `
import { Server } from 'node:net'
const { listen } = Server.prototype
Server.prototype.listen = function (options, ...rest) {
  return listen.call(this, { ...options, port: 0 }, ...rest)
}
`

/**
 * The example of docs/your-own-api.md in a folder that has nothing else, as a newcomer pastes it. `npm run check:package` compiles it
 * with the tsconfig that the page has, against the package as it is installed.
 */
export class PastedReadme {
  readonly #folder: string
  readonly #page: Page

  private constructor(folder: string, page: Page) {
    this.#folder = folder
    this.#page = page
  }

  static async write(page: Page): Promise<PastedReadme> {
    // Inside of the package, so that `viewset` is this package.
    const folder = await mkdtemp(join(packageRoot, '.snippets-readme-'))
    const files = [...page.files, ['preload.mjs', PRELOAD], ['.gitignore', '*']] as const
    for (const [name, content] of files) await writeFile(join(folder, name), content)
    return new PastedReadme(folder, page)
  }

  /** Makes the tables by the command that the page tells. */
  async makeTables(): Promise<void> {
    const [, command = ''] = /^npx (drizzle-kit .+)$/m.exec(this.#page.text) ?? []
    const [tool = '', ...options] = command.split(' ')
    await run(tool, options, { cwd: this.#folder, env: { ...env, NODE_OPTIONS: CONDITIONS } })
  }

  /** Starts it. `stop` returns what it has written to stderr. */
  async start(): Promise<{ readonly address: string; stop(): Promise<string> }> {
    const program = spawn(process.execPath, [CONDITIONS, '--import', './preload.mjs', 'app.ts'], {
      cwd: this.#folder,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const complaints = text(program.stderr)
    const [address] = (await once(createInterface(program.stdout), 'line')) as [string]
    return {
      address,
      stop: async () => {
        program.kill()
        return complaints
      },
    }
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true, force: true })
  }
}

/** The part of the page and of the package's README that both of them have, without the levels of its headings. */
export async function ownApiSection(path: string): Promise<string> {
  const [section = ''] = /^#+ Your own API\n.*?verbatimModuleSyntax.*?```/ms.exec(await readFile(path, 'utf8')) ?? []
  return section.replace(/^#+ /gm, '')
}
