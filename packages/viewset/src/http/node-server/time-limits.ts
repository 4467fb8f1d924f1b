/**
 * In how many milliseconds a request must have arrived whole, and its headers before that. It is for all requests of a
 * server of Node, so the first is long enough for an upload.
 */
export const TIME_LIMITS = { requestTimeout: 900_000, headersTimeout: 15_000, connectionsCheckingInterval: 5_000 }
