import type { Database } from '../store/connection/database.ts'
import { keyText } from '../store/row-order.ts'
import { hasJoinTable, readLinks, type ToManyRelation } from '../store/to-many.ts'
import type { Values } from '../store/write/write.ts'
import { type OwnedPart, RelatedSet, withoutParts } from './drafts.ts'
import { changedNames } from './nested-lists.ts'

/** A stored record, and what a write would set beside its own columns. */
export interface OwnerWithParts {
  readonly owner: Values
  readonly parts: readonly OwnedPart[]
}

interface WantedLinks {
  readonly index: number
  readonly owner: unknown
  readonly keys: readonly unknown[]
}

/**
 * The positions of the owners whose parts are stored already: their write would change nothing. One statement reads the
 * links of each relation.
 */
export async function unchangedParts(
  database: Database,
  owners: readonly OwnerWithParts[],
): Promise<ReadonlySet<number>> {
  const same = new Set(owners.keys())
  const links = new Map<ToManyRelation, WantedLinks[]>()
  const compareLinks = (relation: ToManyRelation, wanted: WantedLinks) => {
    const known = links.get(relation)
    if (known) known.push(wanted)
    else links.set(relation, [wanted])
  }
  const compare = (index: number, { owner, parts }: OwnerWithParts): boolean =>
    parts.every(part => {
      const { relation } = part instanceof RelatedSet ? part : part.origin
      const source = owner[relation.ownerKey.key]
      if (part instanceof RelatedSet) {
        compareLinks(relation, { index, owner: source, keys: part.keys })
        return true
      }
      const { mode, stored } = part.origin
      const keys = part.items.map(({ key }) => key)
      if (keys.includes(undefined)) return false
      if (hasJoinTable(relation)) {
        compareLinks(relation, { index, owner: source, keys })
        return true
      }
      if (mode === 'sync' && new Set(keys.map(String)).size < stored.size) return false
      return part.items.every(({ key, values: given }) => {
        const child = stored.get(keyText(relation.model, key))
        const { values, parts } = withoutParts(given)
        return child && changedNames(relation.model, values, child).length === 0
          ? compare(index, { owner: child, parts })
          : false
      })
    })
  for (const [index, one] of owners.entries()) if (!compare(index, one)) same.delete(index)
  for (const [relation, wanted] of links) {
    const open = wanted.filter(({ index }) => same.has(index))
    const found = await readLinks(database, relation, [...new Set(open.map(({ owner }) => owner))])
    const linked = Map.groupBy(found, ({ source }) => String(source))
    for (const { index, owner, keys } of open) {
      const now = linked.get(String(owner)) ?? []
      const then = new Set(keys.map(String))
      if (now.length !== then.size || !now.every(({ target }) => then.has(String(target)))) same.delete(index)
    }
  }
  return same
}
