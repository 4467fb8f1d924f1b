const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Ctrl+C stops the command between two steps. The command then reports its progress. */
export class Interruption {
  readonly #controller = new AbortController()
  /** A second Ctrl+C ends the process at once, because this listener runs only once. */
  readonly #stop = () => {
    this.end()
    this.#controller.abort(new Error('The command was stopped.'))
  }

  constructor() {
    for (const signal of SIGNALS) process.on(signal, this.#stop)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  end(): void {
    for (const signal of SIGNALS) process.off(signal, this.#stop)
  }
}
