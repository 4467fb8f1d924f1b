import { ApiError, ValidationError } from '../../core/errors.ts'
import { TabularError } from '../../tabular/errors.ts'

/** The answer to a file that cannot be read; `undefined` if the error has another cause. */
export function unreadableFile(thrown: unknown): ApiError | undefined {
  if (!(thrown instanceof TabularError)) return undefined
  const { code, message } = thrown
  switch (code) {
    case 'too_large':
      return new ApiError(413, 'payload_too_large', message, { cause: thrown })
    case 'wrong_format':
    case 'unreadable':
    case 'encrypted':
    case 'out_of_time':
      return new ValidationError({ file: [message] }, message)
    default:
      return undefined
  }
}
