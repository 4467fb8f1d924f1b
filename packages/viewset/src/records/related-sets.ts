import { type FieldErrors, ValidationError } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import { recordedHistory } from '../model/history.ts'
import type { Database } from '../store/connection/database.ts'
import { hasJoinTable, type Link, readLinks, type ToManyRelation } from '../store/to-many.ts'
import { historyKey, recordLinks } from '../store/write/record-history.ts'
import type { Values } from '../store/write/write.ts'
import { deleteLinks, insertLinks, setForeignKeys } from '../store/write/write-links.ts'
import type { RelatedSet } from './drafts.ts'

export interface OwnedSets {
  readonly owner: Values
  readonly sets: readonly RelatedSet[]
  readonly isNew: boolean
  /** The owner's place in the request, for errors: `''`, `'3'`, `'lines.2'`. */
  readonly path: string
}

/** At most three statements for each relation. Existing links and those outside of its scope stay. No signals. */
export async function writeRelatedSets(database: Database, owned: readonly OwnedSets[]): Promise<void> {
  const entries = owned.flatMap(({ sets, ...rest }) => sets.map(set => ({ ...rest, set })))
  for (const [relation, group] of Map.groupBy(entries, entry => entry.set.relation)) {
    const wanted = new Map<string, Link>()
    const known: unknown[] = []
    const owners = new Map<string, Values>()
    const places = new Map<string, string>()
    for (const { owner, set, isNew, path } of group) {
      const source = owner[relation.ownerKey.key]
      if (!isNew) known.push(source)
      owners.set(historyKey(source), owner)
      places.set(String(source), pathTo(path, relation.wire))
      for (const target of set.keys) wanted.set(identity({ source, target }), { source, target })
    }
    const current = known.length === 0 ? [] : await readLinks(database, relation, known)
    const gone = current.filter(link => !wanted.has(identity(link)))
    for (const link of current) wanted.delete(identity(link))
    await replaceLinks(database, { relation, owners, places }, [...wanted.values()], gone)
  }
}

interface OwnedLinks {
  readonly relation: ToManyRelation
  /** By the text of their key. */
  readonly owners: ReadonlyMap<string, Values>
  /** Their places in the request. */
  readonly places: ReadonlyMap<string, string>
}

async function replaceLinks(
  database: Database,
  owned: OwnedLinks,
  added: readonly Link[],
  gone: readonly Link[],
): Promise<void> {
  const { relation, places } = owned
  if (hasJoinTable(relation)) {
    await deleteLinks(database, relation, gone)
    await insertLinks(database, relation, added)
    await recordChangedLinks(database, owned, added, gone)
    return
  }
  // A record that moves from one owner to another of the same request is not removed.
  const kept = new Set(added.map(({ target }) => String(target)))
  const orphans = gone.filter(({ target }) => !kept.has(String(target)))
  if (orphans.length > 0 && !relation.source.nullable) throw cannotTakeAway(relation, orphans, places)
  await setForeignKeys(database, relation, [...orphans.map(({ target }) => ({ source: null, target })), ...added])
}

async function recordChangedLinks(
  database: Database,
  { relation: { ownerKey, wire }, owners }: OwnedLinks,
  added: readonly Link[],
  gone: readonly Link[],
): Promise<void> {
  const history = recordedHistory(ownerKey.column.table)
  if (!history || added.length + gone.length === 0) return
  const changes = new Map<string, { owner: Values; removed: unknown[]; added: unknown[] }>()
  const ofOwner = (source: unknown) => {
    const key = historyKey(source)
    const known = changes.get(key) ?? { owner: owners.get(key) ?? {}, removed: [], added: [] }
    changes.set(key, known)
    return known
  }
  for (const { source, target } of gone) ofOwner(source).removed.push(target)
  for (const { source, target } of added) ofOwner(source).added.push(target)
  await recordLinks(database, history, wire, changes)
}

function cannotTakeAway(
  { wire }: ToManyRelation,
  orphans: readonly Link[],
  places: ReadonlyMap<string, string>,
): ValidationError {
  const errors: FieldErrors = {}
  for (const [source, links] of Map.groupBy(orphans, link => String(link.source))) {
    const names = links.map(({ target }) => `"${target}"`).join(', ')
    errors[places.get(source) ?? wire] = [message('must_belong', { values: names })]
  }
  return new ValidationError(errors)
}

/** The place of a part of a record, whose own place is `path`. */
export function pathTo(path: string, wire: string): string {
  return path === '' ? wire : `${path}.${wire}`
}

function identity({ source, target }: Link): string {
  return JSON.stringify([String(source), String(target)])
}
