import type { ImportOptions } from '../importing/options.ts'

/**
 * What an import or an export tells on its way, to whoever runs it, and where it goes on: none of it comes from a
 * client, so it goes past the methods that people override.
 */
export interface Listeners extends Pick<ImportOptions, 'onRowErrors' | 'onProgress' | 'checkpoint'> {
  /** Told how many rows of an export are read. */
  readonly onExportProgress?: (rows: number) => void
}

const listeners = new WeakMap<object, Listeners>()

/** Whoever listens to what a view does. */
export function listenersOf(view: object): Listeners {
  return listeners.get(view) ?? {}
}

/** Runs `fn` while somebody listens to a view, beside those who do already. */
export async function listening<T>(view: object, added: Listeners, fn: () => Promise<T>): Promise<T> {
  const before = listenersOf(view)
  listeners.set(view, { ...before, ...added })
  try {
    return await fn()
  } finally {
    listeners.set(view, before)
  }
}
