import { createRequire } from 'node:module'
import { inEnglish, type Text } from '../core/messages/message.ts'

/** The problem of a file. */
export type TabularErrorCode =
  | 'missing_package'
  | 'too_many_rows'
  | 'too_large'
  | 'bad_font'
  | 'out_of_time'
  | 'wrong_format'
  | 'unreadable'
  | 'encrypted'

/**
 * A file cannot be written or read; `code` names the reason. The caller translates it for clients.
 *
 * @example
 * if (error instanceof TabularError && error.code === 'too_many_rows') throw new ValidationError(error.text)
 */
export class TabularError extends Error {
  override readonly name = 'TabularError'
  readonly code: TabularErrorCode

  /** The sentence for a client. `message` is its English form. */
  readonly text: Text

  constructor(code: TabularErrorCode, text: Text, cause?: unknown) {
    super(inEnglish(text), cause === undefined ? undefined : { cause })
    this.code = code
    this.text = text
  }
}

const require = createRequire(import.meta.url)

export function missingPackages(names: readonly string[]): readonly string[] {
  return names.filter(name => !isInstalled(name))
}

function isInstalled(name: string): boolean {
  try {
    require.resolve(`${name}/package.json`)
    return true
  } catch (error) {
    // Not every package exports its package.json.
    return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED'
  }
}
