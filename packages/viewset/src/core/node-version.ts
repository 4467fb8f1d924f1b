/** The same version stands in `engines` of package.json. */
const OLDEST = '22.12'

type Versions = Readonly<Record<string, string | undefined>>

/**
 * The reason why this Node cannot run the package; `undefined` if it can, and for Bun and Deno. Without this check,
 * Node 20 ends in a segmentation fault of its database driver, and Node 18 in a `SyntaxError`.
 */
export function nodeProblem({ node = OLDEST, bun, deno }: Versions): string | undefined {
  if (bun !== undefined || deno !== undefined || isAtLeast(OLDEST, node)) return undefined
  return `viewset needs Node ${OLDEST} or later, and this is Node ${node}. Install a newer one, such as Node 24.`
}

function isAtLeast(oldest: string, version: string): boolean {
  const [wanted = [], given = []] = [oldest, version].map(text => text.split('.').map(Number))
  const [major = 0, minor = 0] = wanted
  const [ownMajor = 0, ownMinor = 0] = given
  return ownMajor > major || (ownMajor === major && ownMinor >= minor)
}
