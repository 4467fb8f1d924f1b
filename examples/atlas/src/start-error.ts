/** The reason why the atlas cannot start, in one line for the operator. */
export class StartError extends Error {
  override readonly name = 'StartError'
}

/** The port of the environment. @throws StartError */
export function portFrom({ PORT }: Readonly<Record<string, string | undefined>>): number {
  if (!PORT) return 3000
  const port = Number(PORT)
  if (/^\d+$/.test(PORT) && port <= 65_535) return port
  throw new StartError(`PORT=${PORT} is no port: give a number from 0 to 65535.`)
}

/** The message of a server that cannot listen. */
export function listenError(thrown: unknown, host: string, port: number): StartError {
  const { code, message } = thrown as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return new StartError(`Port ${port} is taken. Choose another one: PORT=${port + 1} npm start`)
  if (code === 'EACCES')
    return new StartError(`Port ${port} is not for everybody. Choose one above 1023: PORT=3000 npm start`)
  return new StartError(`The atlas cannot listen at ${host}, port ${port}: ${message}`)
}

/** An error before the tables exist: an unreachable server, a wrong password, a folder without permission. */
export function databaseError(thrown: unknown, description: string): StartError {
  return new StartError(`The atlas cannot use ${description}: ${reasonOf(thrown)}`)
}

/** The driver's message, which Drizzle may wrap. Of several addresses that failed, the first one counts. */
function reasonOf(thrown: unknown): string {
  if (thrown instanceof AggregateError) return reasonOf(thrown.errors[0])
  if (!(thrown instanceof Error)) return String(thrown)
  if (thrown.cause !== undefined) return reasonOf(thrown.cause)
  return thrown.message.split('\n', 1)[0] ?? ''
}
