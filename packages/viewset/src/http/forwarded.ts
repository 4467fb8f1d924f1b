/** Scheme and host of a request, by what stands in front of the server. */
export interface Address {
  readonly protocol: string
  readonly host: string
}

/** What a trusted proxy says that the client asked for; the last entry is that of the nearest one, as in Fastify. */
export function forwardedAddress(header: (name: string) => string | undefined, asked: Address): Address {
  return {
    protocol: lastOf(header('x-forwarded-proto')) ?? asked.protocol,
    host: lastOf(header('x-forwarded-host')) ?? asked.host,
  }
}

function lastOf(header: string | undefined): string | undefined {
  return header?.slice(header.lastIndexOf(',') + 1).trim() || undefined
}
