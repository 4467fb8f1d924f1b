const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Whether the user stops the command. It then ends between two steps, and reports how far it came. */
export class Interruption {
  readonly #controller = new AbortController()
  /** A second time, the process ends at once: this one is heard once only. */
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
