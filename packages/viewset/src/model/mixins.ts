import type { HasDefault, HasRuntimeDefault, IsPrimaryKey, NotNull, SQL } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import { momentOfWrite } from '../core/clock.ts'
import { currentUser } from '../core/context.ts'
import { checkOptions, required, type SettingRules, setting } from '../core/setting-rules.ts'
import { uuidv7 } from '../core/uuid.ts'
import { namedAsRelation, unchangedColumn } from './drizzle-columns.ts'
import type { ColumnKit, KitColumn, PrimaryKeyOf } from './kit.ts'
import { derivedSlug } from './slug-column.ts'
import { firstVersion, nextVersion } from './version-column.ts'

type Automatic<T, R = undefined> = HasRuntimeDefault<HasDefault<KitColumn<T, R>>>

/** The columns of `TimeStampMixin`. */
export interface TimeStampColumns {
  readonly createdAt: NotNull<Automatic<string>>
  readonly updatedAt: NotNull<Automatic<string>>
}

/** The columns of `SoftDeleteMixin`. */
export interface SoftDeleteColumns {
  readonly isActive: HasDefault<NotNull<KitColumn<boolean>>>
  readonly deletedAt: KitColumn<string>
}

/** The column of `VersionMixin`. */
export interface VersionColumns {
  readonly version: NotNull<Automatic<bigint>>
}

/** The column of `SlugMixin`. */
export interface SlugColumns {
  readonly slug: HasDefault<NotNull<KitColumn<string>>>
}

/** Options of `SlugMixin`. */
export interface SlugOptions {
  /** The text field from which the slug is derived. */
  readonly from: string
  /** Most characters. Default 100. */
  readonly length?: number
  /**
   * What happens if another record has the derived slug: `'extend'` appends an ending, as in `creme-brulee-8f3k2x`. So
   * it does for an empty slug, and for a fixed part of the paths of a resource. Default: the record is refused.
   */
  readonly ifTaken?: 'extend'
}

const SLUG_RULES: SettingRules = {
  from: required(setting.text, 'name the text that makes the slug'),
  length: setting.wholeNumber,
  ifTaken: setting.oneOf('extend'),
}

/** The columns of `UserActionMixin`. */
export interface UserActionColumns<Id, R = undefined> {
  readonly createdBy: Automatic<Id, R>
  readonly updatedBy: Automatic<Id, R>
}

/** The columns of `BaseModelMixin`. */
export interface BaseModelColumns<Id, R = undefined>
  extends TimeStampColumns,
    SoftDeleteColumns,
    UserActionColumns<Id, R> {
  readonly id: HasRuntimeDefault<HasDefault<IsPrimaryKey<NotNull<KitColumn<string>>>>>
}

/** The model mixins of a kit. Spread each into a table's columns. */
export interface MixinColumns {
  /** `createdAt` and `updatedAt`, set on every write with microseconds. */
  TimeStampMixin(): TimeStampColumns
  /** `isActive` and `deletedAt`. They do not filter a resource: its queryset does. */
  SoftDeleteMixin(): SoftDeleteColumns
  /**
   * `version`, a number that grows with each write of the record. With the setting `version: 'version'`, a resource
   * refuses to overwrite a record that has changed since the client read it.
   *
   * @example
   * const visits = c.table('visits', { ...c.BaseModelMixin(), ...c.VersionMixin(), note: c.text() })
   */
  VersionMixin(): VersionColumns
  /**
   * `createdBy` and `updatedBy`, set from the user of each write. With `user`, they are foreign keys to that table,
   * without an index. Otherwise they hold the user's id as text.
   */
  UserActionMixin(): UserActionColumns<string>
  UserActionMixin<M extends PgTable>(options: { readonly user: M }): UserActionColumns<PrimaryKeyOf<M>, M>
  /**
   * `slug`, a text for addresses. A record that is created without one gets it from another text: `creme-brulee` from
   * `Crème brûlée`. Later changes of that text leave it. Add the unique constraint that the table needs.
   *
   * @example
   * const labels = c.table('labels', { ...c.SlugMixin({ from: 'name' }), name: c.text(50).notNull() }, t => [c.unique(t.slug)])
   */
  SlugMixin(options: SlugOptions): SlugColumns
  /**
   * A uuid `id`, timestamps, `createdBy`/`updatedBy` and the soft-delete fields. With `user`, the two audit fields are
   * foreign keys to that table, without an index. Otherwise they hold the user's id as text.
   *
   * @example
   * const visits = c.table('visits', { ...c.BaseModelMixin({ user: users }), note: c.text() })
   */
  BaseModelMixin(): BaseModelColumns<string>
  BaseModelMixin<M extends PgTable>(options: { readonly user: M }): BaseModelColumns<PrimaryKeyOf<M>, M>
}

type MixinKit = Pick<ColumnKit, 'timestamp' | 'boolean' | 'uuid' | 'text' | 'bigint' | 'foreignKey'>

/**
 * The mixins of one kit. The automatic values are Drizzle run-time defaults, so they also fill rows written through
 * `currentDb()`.
 */
export function mixinColumns(kit: MixinKit, databaseNow: SQL): MixinColumns {
  const TimeStampMixin = (): TimeStampColumns => ({
    createdAt: kit.timestamp().notNull().default(databaseNow).$defaultFn(momentOfWrite),
    updatedAt: kit.timestamp().notNull().default(databaseNow).$defaultFn(momentOfWrite).$onUpdateFn(momentOfWrite),
  })
  const SoftDeleteMixin = (): SoftDeleteColumns => ({
    isActive: kit.boolean().notNull().default(true),
    deletedAt: kit.timestamp(),
  })
  const UserActionMixin = <M extends PgTable>(options?: { readonly user: M }) => {
    const userColumn = () =>
      (options ? kit.foreignKey(options.user, { index: false }) : namedAsRelation(kit.text())) as KitColumn<
        unknown,
        unknown
      >
    const unchanged = unchangedColumn('updated_by_id')
    return {
      createdBy: userColumn().$defaultFn(userId),
      updatedBy: userColumn()
        .$defaultFn(userId)
        .$onUpdateFn(() => userId() ?? unchanged),
    } as UserActionColumns<PrimaryKeyOf<M>, M>
  }
  return {
    UserActionMixin,
    TimeStampMixin,
    SoftDeleteMixin,
    // The default is for records that are older than the column.
    VersionMixin: () => ({
      version: kit.bigint().notNull().default(0n).$defaultFn(firstVersion).$onUpdateFn(nextVersion()),
    }),
    SlugMixin: options => {
      checkOptions('SlugMixin', SLUG_RULES, options)
      const { from, length = 100, ifTaken } = options
      return {
        slug: kit
          .text(length)
          .notNull()
          .$defaultFn(derivedSlug({ from, length, isExtended: ifTaken === 'extend' }) as () => never),
      }
    },
    BaseModelMixin: <M extends PgTable>(options?: { readonly user: M }) =>
      ({
        id: kit.uuid().primaryKey().$defaultFn(uuidv7),
        ...TimeStampMixin(),
        ...UserActionMixin(options),
        ...SoftDeleteMixin(),
      }) as BaseModelColumns<PrimaryKeyOf<M>, M>,
  }
}

const userId = () => currentUser()?.id ?? null
