import { type FieldErrors, ValidationError } from '../core/errors.ts'
import { message } from '../core/messages/message.ts'
import { type History, recordedHistory } from '../model/history.ts'
import type { Database } from '../store/connection/database.ts'
import { hasJoinTable, type Link, readLinks, type ToManyRelation } from '../store/to-many.ts'
import { historyKey } from '../store/write/record-history.ts'
import { type ChangedLinks, linkId, recordLinks } from '../store/write/record-links.ts'
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
  const changes = new LinkChanges()
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
    await replaceLinks(database, { relation, owners, places, changes }, [...wanted.values()], gone)
  }
  await recordLinks(database, changes.all)
}

interface OwnedLinks {
  readonly relation: ToManyRelation
  /** By the text of their key. */
  readonly owners: ReadonlyMap<string, Values>
  /** Their places in the request. */
  readonly places: ReadonlyMap<string, string>
  readonly changes: LinkChanges
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
    owned.changes.add(owned, added, gone)
    return
  }
  // A record that moves from one owner to another of the same request is not removed.
  const kept = new Set(added.map(({ target }) => String(target)))
  const orphans = gone.filter(({ target }) => !kept.has(String(target)))
  if (orphans.length > 0 && !relation.source.nullable) throw cannotTakeAway(relation, orphans, places)
  await setForeignKeys(database, relation, [...orphans.map(({ target }) => ({ source: null, target })), ...added])
}

/** Collects the changed links of records whose models have a history, of all relations together. */
class LinkChanges {
  readonly #changes = new Map<History, Map<string, Changed>>()

  get all(): readonly ChangedLinks[] {
    return [...this.#changes.values()].flatMap(records => [...records.values()])
  }

  add({ relation, owners }: OwnedLinks, added: readonly Link[], gone: readonly Link[]): void {
    const { ownerKey, relatedKey, wire } = relation
    const history = recordedHistory(ownerKey.column.table)
    if (!history) return
    const records = this.#changes.get(history) ?? new Map<string, Changed>()
    this.#changes.set(history, records)
    const note = ({ source, target }: Link, side: 'removed' | 'added') => {
      const record = historyKey(source)
      const changed = records.get(record) ?? { history, record, owner: owners.get(record) ?? {}, fields: {} }
      records.set(record, changed)
      const ids = changed.fields[wire] ?? { removed: [], added: [] }
      changed.fields[wire] = ids
      ids[side].push(linkId(relatedKey, target))
    }
    for (const link of gone) note(link, 'removed')
    for (const link of added) note(link, 'added')
  }
}

interface Changed extends ChangedLinks {
  readonly fields: Record<string, { removed: unknown[]; added: unknown[] }>
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
