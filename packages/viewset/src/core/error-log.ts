/** What the log says beside an error. */
export interface ErrorDetails {
  /** What has happened, in one sentence. */
  readonly message: string
  /** Finds this entry: who met the error has been told the id, where there was somebody to tell. */
  readonly errorId: string
  /** Names the request in which it happened, if it was one. */
  readonly requestId?: string
}

/** Where errors go that are our own fault, and what the application should change. */
export interface ErrorLog {
  logError(error: unknown, details: ErrorDetails): void
  logWarning(message: string): void
}

/** For code outside of any server, and for a server without a logger: nobody shall look for an id that is nowhere. */
export const stderrLog: ErrorLog = {
  logError: (error, { message, errorId }) => console.error(`viewset: ${message} (error id ${errorId})`, error),
  logWarning: message => console.warn(`viewset: ${message}`),
}
