import type { ImportOptions } from '../../importing/options.ts'

/** These come from code, not from the client, so they bypass the methods that applications override. */
export interface Listeners extends Pick<ImportOptions, 'onRowErrors' | 'onProgress' | 'checkpoint' | 'recorder'> {
  readonly onExportProgress?: (rows: number) => void
}

const listeners = new WeakMap<object, Listeners>()

export function listenersOf(view: object): Listeners {
  return listeners.get(view) ?? {}
}

export async function listening<T>(view: object, added: Listeners, fn: () => Promise<T>): Promise<T> {
  const before = listenersOf(view)
  listeners.set(view, { ...before, ...added })
  try {
    return await fn()
  } finally {
    listeners.set(view, before)
  }
}
