/** The entry for `viewset-tools` alone: it has no page in the reference, and its types need no names elsewhere. */
const INTERNAL = './internal'

/** The entries of a package for its users, from `exports` of its manifest. */
export function publicEntries({ exports }: { readonly exports: object }): readonly string[] {
  return Object.keys(exports).filter(subpath => subpath !== INTERNAL)
}
