/** The oldest Node that runs the package, as `engines` of its package.json says. */
const OLDEST = '22.12'

/** What a runtime calls itself and what it is made of; Bun and Deno say which Node they are like. */
type Versions = Readonly<Record<string, string | undefined>>

/**
 * Why this Node cannot run the package, in a sentence; `undefined` for one that can, and for Bun and Deno. Node 20 would
 * end in a segmentation fault of its database driver, without a word, and Node 18 in a `SyntaxError`.
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
