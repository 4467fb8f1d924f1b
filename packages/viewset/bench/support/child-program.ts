import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Answer, Question, Usage } from './answer-questions.ts'
import type { TimeParts } from './profile-parts.ts'

/** Old space in MB: what a program holds has to fit, however much memory the machine has. */
const HEAP = 256

export interface ProgramOptions {
  readonly args: readonly string[]
  /** Of Node, beside those of the benchmark itself. */
  readonly execArgv?: readonly string[]
  /** Whether it runs the package's sources, as `--conditions=viewset-source` says, also where the benchmark does not. */
  readonly fromSource?: boolean | undefined
}

/** A process that is measured: it answers the questions of `answer-questions.ts`, one at a time. */
export class ChildProgram {
  readonly #name: string
  readonly #process: ChildProcess

  /** Starts it; `ready` is what it says first. */
  static async start(path: string, options: ProgramOptions): Promise<{ program: ChildProgram; ready: Answer }> {
    const { args, execArgv = [], fromSource = false } = options
    const source = fromSource ? ['--conditions=viewset-source'] : []
    const child = fork(path, args, {
      execArgv: [...process.execArgv, ...source, `--max-old-space-size=${HEAP}`, ...execArgv],
      env: { ...process.env, NODE_ENV: 'production' },
    })
    const ready = await nextMessage(child)
    return { program: new ChildProgram(args.join(' '), child), ready }
  }

  private constructor(name: string, child: ChildProcess) {
    this.#name = name
    this.#process = child
  }

  async usage(): Promise<Usage> {
    return this.#answer('usage', (await this.#ask('usage')).usage)
  }

  /** Has it do its work once; returns the CPU time that this took, in microseconds. */
  async work(): Promise<number> {
    const before = await this.usage()
    const { usage } = await this.#ask('work')
    return this.#answer('work', usage).microseconds - before.microseconds
  }

  /** From here on, it notes where its time goes. */
  async beginProfile(): Promise<void> {
    await this.#ask('profile')
  }

  /** Where its time has gone since {@link beginProfile}. */
  async endProfile(): Promise<TimeParts> {
    return this.#answer('parts', (await this.#ask('parts')).parts)
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, 'exit')
    this.#process.disconnect()
    await exited
  }

  #ask(question: Question): Promise<Answer> {
    this.#process.send(question)
    return nextMessage(this.#process)
  }

  #answer<T>(question: Question, value: T | undefined): T {
    if (value === undefined) throw new Error(`${this.#name} has no answer to "${question}"`)
    return value
  }
}

async function nextMessage(child: ChildProcess): Promise<Answer> {
  const ended = new AbortController()
  const exited = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`${child.spawnargs.slice(2).join(' ')} ended with code ${code}: see the message above`)
  })
  try {
    const [message] = await Promise.race([once(child, 'message', { signal: ended.signal }), exited])
    return message as Answer
  } finally {
    ended.abort()
    exited.catch(() => {})
  }
}
