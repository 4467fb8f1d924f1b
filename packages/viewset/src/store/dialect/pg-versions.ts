import { driverError } from '../../model/dialect/fault.ts'
import type { DataVersions, Executor, Statement, VersionedCount } from '../connection/driver.ts'
import { type ReadTables, wordsOf } from '../read-tables.ts'

/**
 * The version of the data that a statement sees.
 *
 * Two equal snapshots of one database see the same commits; those of a server are counted together. A crash may undo commits, and their numbers then come again:
 * the server resets its statistics after a crash. The rest is what a session may change about a statement's meaning.
 * `null` on a standby, whose snapshots do not list the open transactions.
 *
 * All functions are safe in parallel plans, so the count may have one.
 */
const VERSION = `case when current_setting('server_version_num')::int >= 150000 and not pg_is_in_recovery()
  then concat_ws(' ', pg_current_snapshot(), current_database(), pg_postmaster_start_time(), pg_stat_get_bgwriter_stat_reset_time(),
    current_user, current_setting('search_path'), current_setting('TimeZone')) end`

/** PostgreSQL itself. Others speak its protocol and keep their rows elsewhere, as an extension may. */
const IS_POSTGRESQL = `version() ~ '^PostgreSQL \\d+[.\\w]* (\\([^)]*\\) )?on '
  and to_regclass('pg_catalog.pg_dist_partition') is null`

/** Written by transactions of this server alone, and the same rows for every session. */
const IS_ORDINARY = `relkind = 'r' and relpersistence = 'p' and relam = 2 and not relrowsecurity and not relhassubclass`

/**
 * Values: the version, the tables in SQL, all names. A temporary table hides another one in its session. A column's name
 * may be a function of the application: PostgreSQL reads `"t"."f"` as `f(t)` if there is no such column.
 *
 * `to_regclass` knows later commits than the statement's snapshot, so a table must have its name in the snapshot, too.
 */
const ARE_ORDINARY: Statement = {
  name: 'viewset_ordinary_tables',
  text: `select $1 = (${VERSION}) and ${IS_POSTGRESQL}
    and (select count(*) from unnest($2::text[]) as asked(name)
      join pg_class on pg_class.oid = to_regclass(asked.name)
      where relname = any($3::name[]) and ${IS_ORDINARY}) = cardinality($2::text[])
    and not exists (select from pg_class where relname = any($3::name[]) and relpersistence = 't')
    and not exists (select from pg_proc where proname = any($3::name[]) and pronamespace <> 'pg_catalog'::regnamespace)`,
}

/** Of a server without one of the functions or catalogues, or of a user who may not read them. */
const UNSUPPORTED = /^(?:42|0A000)/

/** A snapshot lists the open transactions, so a version may be long. Then it will not last. */
const LONGEST = 1_000

export const pgVersions: DataVersions = {
  constantSql: {
    functions: wordsOf(
      `abs coalesce count extract greatest jsonb_exists jsonb_typeof least length lower max min nullif translate unnest upper`,
    ),
    words: wordsOf('at time zone year quarter month day isodow'),
  },
  placeholders: 1,
  // OFFSET 0 keeps the planner from computing the version twice. The count's plan runs only if its value is needed.
  statement: select =>
    `select version, case when version = $1 then null else (${select}) end from (select ${VERSION} as version offset 0) as data`,
  async count(executor: Executor, statement: Statement, values, known): Promise<VersionedCount> {
    const { rows } = await executor.run(statement, [known, ...values])
    const [version = null, count = null] = rows[0] ?? []
    const isShort = typeof version === 'string' && version.length <= LONGEST
    return { version: isShort ? version : null, count: count === null ? null : Number(count) }
  },
  async areOrdinary(executor, { tables, names }: ReadTables, version) {
    const { rows } = await executor.run(ARE_ORDINARY, [version, tables, names])
    return rows[0]?.[0] === 't'
  },
  isUnsupported: thrown => {
    const error = driverError(thrown)
    return UNSUPPORTED.test(String(error && Reflect.get(error, 'code')))
  },
}
