import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ATLAS = join(import.meta.dirname, '../../examples/atlas')
const TOKEN = 'pictures'

/** The atlas on a free port of this machine, with data of its own. */
export class Atlas {
  readonly #process: ChildProcess
  readonly #folder: string
  /** Ends in `/api/`. */
  readonly address: string

  private constructor(process: ChildProcess, folder: string, address: string) {
    this.#process = process
    this.#folder = folder
    this.address = address
  }

  static async start(folder: string): Promise<Atlas> {
    const options = ['--conditions=viewset-source', '--import', 'viewset/fast-drizzle', 'src/main.ts']
    const env = { ...process.env, PORT: '0', HOST: '127.0.0.1', ATLAS_DATA_DIR: folder, ATLAS_ADMIN_TOKEN: TOKEN }
    const child = spawn(process.execPath, options, { cwd: ATLAS, env, stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    for await (const chunk of child.stdout ?? []) {
      output += String(chunk)
      const [address] = /http:\/\/127\.0\.0\.1:\d+\/api\//.exec(output) ?? []
      if (address !== undefined && output.includes('reader token')) return new Atlas(child, folder, address)
    }
    throw new Error(`The atlas has not started:\n${output}`)
  }

  /** Asks for a file and stores it. */
  async download(name: string, path: string, body: object | FormData): Promise<string> {
    const isForm = body instanceof FormData
    const response = await fetch(this.address + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, ...(!isForm && { 'content-type': 'application/json' }) },
      body: isForm ? body : JSON.stringify(body),
    })
    if (!response.headers.has('content-disposition')) throw new Error(`${path}: ${await response.text()}`)
    const file = join(this.#folder, name)
    writeFileSync(file, await response.bytes())
    return file
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGTERM')
    await ended
  }
}
