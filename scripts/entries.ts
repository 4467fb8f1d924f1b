/** The entry for `viewset-tools` alone: it has no page in the reference, and its types need no names elsewhere. */
const INTERNAL = './internal'

/** The entries of a package that are for its users, as `exports` of its manifest names them. */
export function publicEntries({ exports }: { readonly exports: object }): readonly string[] {
  return Object.keys(exports).filter(subpath => subpath !== INTERNAL)
}
