import type { WriteStream } from 'node:tty'

const WIDTH = 30

/** Shows the progress of a command: a bar on a terminal, or a line for each tenth, for logs. */
export class Progress {
  readonly #stream: Pick<WriteStream, 'isTTY' | 'write'>
  readonly #unit: string
  #last = 0
  #isOpen = false

  constructor(stream: Pick<WriteStream, 'isTTY' | 'write'>, unit = 'rows') {
    this.#stream = stream
    this.#unit = unit
  }

  update(done: number, total: number): void {
    const part = total === 0 ? 1 : Math.min(done / total, 1)
    const steps = Math.floor(part * (this.#stream.isTTY ? 1000 : 10))
    if (steps === this.#last) return
    this.#last = steps
    const text = `${Math.floor(part * 100)} %, ${grouped(done)} of ${grouped(total)} ${this.#unit}`
    if (!this.#stream.isTTY) {
      // The result of the command says that all is done.
      if (part < 1) this.#stream.write(`${text}\n`)
      return
    }
    const filled = Math.round(part * WIDTH)
    // Overwrites the line from its start.
    this.#stream.write(`\r\x1b[K${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ${text}`)
    this.#isOpen = true
  }

  /** Ends the line of the bar, so that the next output begins a new line. */
  end(): void {
    if (this.#isOpen) this.#stream.write('\n')
    this.#isOpen = false
  }
}

export function grouped(count: number): string {
  return count.toLocaleString('en-US')
}
