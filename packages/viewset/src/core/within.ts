import { ServiceUnavailable } from './errors.ts'

/**
 * What a promise gives, unless that takes too long.
 *
 * @throws ServiceUnavailable after so many milliseconds
 */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new ServiceUnavailable()), milliseconds)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
