/** A job that waits, and the user who asked for it. */
export interface Waiting {
  readonly id: string
  readonly owner: string | null
}

/** Jobs that wait for a worker: users take turns, and the jobs of one user keep their order. */
export class FairLine {
  /** The jobs of each user; the user whose turn is next comes first. */
  readonly #byOwner = new Map<string | null, Set<string>>()

  /** A job that waits already keeps its place. */
  add({ id, owner }: Waiting): void {
    const waiting = this.#byOwner.get(owner)
    if (waiting) waiting.add(id)
    else this.#byOwner.set(owner, new Set([id]))
  }

  /** Takes the next job for which `isReady`; its user comes last from now on. */
  take(isReady: (id: string) => boolean): Waiting | undefined {
    for (const [owner, waiting] of this.#byOwner) {
      for (const id of waiting) {
        if (!isReady(id)) continue
        waiting.delete(id)
        this.#byOwner.delete(owner)
        if (waiting.size > 0) this.#byOwner.set(owner, waiting)
        return { id, owner }
      }
    }
    return undefined
  }
}
