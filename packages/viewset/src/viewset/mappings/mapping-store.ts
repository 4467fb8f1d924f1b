import { createHash } from 'node:crypto'
import { and, desc, eq, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'
import { momentOfWrite } from '../../core/clock.ts'
import type { ReadingOptions, StoredMapping } from '../../importing/options.ts'
import { choiceOf, type ImportChoice, readingOfChoice } from '../../importing/saved/saved-mapping.ts'
import { type ModelInfo, modelInfo } from '../../model/model-info.ts'
import type { ImportMappingTables } from '../../model/tables/import-mapping-tables.ts'
import type { Database } from '../../store/connection/database.ts'
import { currentDb } from '../../store/connection/transaction.ts'
import { QuerySet } from '../../store/queryset.ts'
import type { PermissionClass } from '../permissions.ts'

type Mappings = ImportMappingTables['importMappings']

/** The options of saved mappings. */
export interface ImportMappingOptions {
  /** The table of `ImportMappingTable()`. */
  readonly table: Mappings
  /** Who saves and deletes mappings for everyone, in addition to the import's permissions. Default: no user. */
  readonly adminPermissionClasses?: readonly PermissionClass[]
}

/** A stored mapping. */
export type MappingRow = Mappings['$inferSelect']

/** Whose mappings a request sees. */
export interface MappingPlace {
  readonly resource: string
  /** The fixed values of the resource's records, as JSON. */
  readonly tenant: string
  /** The user's id as text; `null` without a user. */
  readonly user: string | null
}

export interface NewMapping {
  readonly name: string
  readonly fingerprint: string
  readonly reading: ReadingOptions
  readonly everyone: boolean
}

export function storedMapping({ id, name, owner, savedAt, fingerprint, choice }: MappingRow): StoredMapping {
  return { id, name, everyone: owner === null, savedAt, fingerprint, reading: readingOfChoice(choice as ImportChoice) }
}

/** Mappings that a preview suggests. */
const MOST_SUGGESTED = 10

/** The saved mappings of an API. */
export class MappingStore {
  readonly adminPermissionClasses: readonly PermissionClass[] | undefined
  readonly table: Mappings
  readonly model: ModelInfo

  constructor({ table, adminPermissionClasses }: ImportMappingOptions) {
    this.table = table
    this.adminPermissionClasses = adminPermissionClasses
    this.model = modelInfo(table)
  }

  /** Own mappings, then those of everyone; the newest first. */
  listed(database: Database, place: MappingPlace): QuerySet {
    const { owner, savedAt } = this.table
    return new QuerySet(database, this.model).filter(this.#visible(place)).orderBy([
      { by: sql`${owner} is null`, descending: false },
      { by: sql`${savedAt}`, descending: true },
    ])
  }

  async find(place: MappingPlace, fingerprints: readonly string[]): Promise<readonly StoredMapping[]> {
    const { table } = this
    const found = await currentDb()
      .select()
      .from(table)
      .where(and(inArray(table.fingerprint, [...fingerprints]), this.#visible(place)))
      .orderBy(sql`${table.owner} is null`, desc(table.savedAt), table.id)
      .limit(MOST_SUGGESTED)
    return found.map(storedMapping)
  }

  async findOne(place: MappingPlace, id: string): Promise<MappingRow | undefined> {
    const { table } = this
    const [found] = await currentDb()
      .select()
      .from(table)
      .where(and(eq(table.id, id), this.#visible(place)))
    return found
  }

  /**
   * Saves a mapping; one with the same headers and name is replaced. `undefined` if the user has too many. Runs in a
   * serializable transaction.
   */
  async save(
    { resource, tenant, user }: MappingPlace,
    { everyone, name, fingerprint, reading }: NewMapping,
    most: number,
  ): Promise<StoredMapping | undefined> {
    const { table } = this
    const owner = everyone ? null : user
    const id = createHash('sha256')
      .update(JSON.stringify([resource, tenant, owner, fingerprint, name]))
      .digest('hex')
    const isOwners = owner === null ? isNull(table.owner) : eq(table.owner, owner)
    const before = await currentDb()
      .select({ id: table.id })
      .from(table)
      .where(and(eq(table.resource, resource), eq(table.tenant, tenant), isOwners))
    const isNew = before.every(saved => saved.id !== id)
    if (isNew && before.length >= most) return undefined
    const choice = choiceOf(reading)
    const savedAt = momentOfWrite()
    const [row] = await currentDb()
      .insert(table)
      .values({ id, resource, tenant, owner, name, fingerprint, choice, savedAt })
      .onConflictDoUpdate({ target: table.id, set: { choice, savedAt } })
      .returning()
    return row && storedMapping(row)
  }

  async remove(id: string): Promise<void> {
    await currentDb().delete(this.table).where(eq(this.table.id, id))
  }

  #visible({ resource, tenant, user }: MappingPlace): SQL | undefined {
    const { table } = this
    const owners = user === null ? isNull(table.owner) : or(isNull(table.owner), eq(table.owner, user))
    return and(eq(table.resource, resource), eq(table.tenant, tenant), owners)
  }
}
