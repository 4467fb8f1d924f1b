/** The two parts of a request line that names the host as well, as clients of proxies write it (RFC 9112, 3.2.2). */
interface RequestTarget {
  /** The host and port that it names; `undefined` where the `Host` header has them, as usual. */
  readonly host: string | undefined
  /** Path and query. */
  readonly url: string
}

/** Takes a request line's target apart. */
export function readTarget(target: string): RequestTarget {
  if (target.startsWith('/')) return { host: undefined, url: target }
  // A backslash ends a host for some servers, and would make this path another one than theirs.
  const [, host, url = ''] = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\\]+)(.*)$/i.exec(target) ?? []
  if (host === undefined) return { host, url: target }
  return { host, url: url.startsWith('/') ? url : `/${url}` }
}

/** Whether a target names a user (`http://user@host/`), which a sender must not do (RFC 9110, 4.2.4). */
export function namesUser(target: string): boolean {
  return !target.startsWith('/') && readTarget(target).host?.includes('@') === true
}

/** Whether a request says twice which host it is for (RFC 9112, 3.2): Node keeps the first, another server the last. */
export function hasTwoHosts(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts > 1
}
