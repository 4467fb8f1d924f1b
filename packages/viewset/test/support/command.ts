import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export const packageRoot = join(import.meta.dirname, '../..')
const main = join(packageRoot, 'src/cli/main.ts')
const tsc = join(packageRoot, '../../node_modules/.bin/tsc')

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A folder in which `viewset` is this package, and commands run as a person would run them. */
export class ProjectFolder {
  readonly path: string

  private constructor(path: string) {
    this.path = path
  }

  static async make(): Promise<ProjectFolder> {
    const folder = new ProjectFolder(await mkdtemp(join(packageRoot, '.project-')))
    await writeFile(join(folder.path, '.gitignore'), '*\n')
    return folder
  }

  viewset(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Outcome> {
    return this.#run(process.execPath, ['--conditions=viewset-source', main, ...args], env)
  }

  /** Starts a command that is still to be told something: its input, or a signal. */
  start(args: readonly string[]): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, ['--conditions=viewset-source', main, ...args], { cwd: this.path })
  }

  /** What the compiler has to say of a folder's files, as strict as it can be. */
  async compile(folder: string): Promise<string> {
    const config = { extends: '../../../tsconfig.base.json', include: [`${folder}/**/*.ts`] }
    await writeFile(join(this.path, 'tsconfig.json'), JSON.stringify(config))
    return (await this.#run(tsc, ['-p', this.path], process.env)).stdout
  }

  async write(path: string, content: string | Uint8Array): Promise<void> {
    await mkdir(dirname(join(this.path, path)), { recursive: true })
    await writeFile(join(this.path, path), content)
  }

  /** Removes all that is in it, but for what keeps it out of git. */
  async clear(): Promise<void> {
    const names = (await readdir(this.path)).filter(name => name !== '.gitignore')
    await Promise.all(names.map(name => rm(join(this.path, name), { recursive: true })))
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true })
  }

  #run(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcome> {
    return new Promise(resolve => {
      execFile(command, args, { cwd: this.path, env }, (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      )
    })
  }
}
