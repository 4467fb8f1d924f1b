import type { Executor } from 'viewset/dialect'
import type { CatalogueTable } from './catalogue.ts'

const ACTION = (column: string) => `case ${column} when 'c' then 'cascade' when 'r' then 'restrict'
  when 'n' then 'set null' when 'd' then 'set default' else 'no action' end`

const NAMES = (table: string, numbers: string) => `(
  select json_agg(named.attname order by place) from unnest(${numbers}) with ordinality as numbered (number, place)
  join pg_attribute named on named.attrelid = ${table} and named.attnum = number)`

/** No row for an enum without values, which Drizzle cannot express. */
const ENUMERATION = `(
  select json_build_object('schema', spaces.nspname, 'name', kinds.typname, 'values',
    (select json_agg(enumlabel order by enumsortorder) from pg_enum where enumtypid = kinds.oid))
  from pg_type kinds join pg_namespace spaces on spaces.oid = kinds.typnamespace
  where kinds.typtype = 'e' and kinds.oid in (type.oid, type.typelem)
    and exists (select from pg_enum where enumtypid = kinds.oid))`

const COLUMNS = `(
  select json_agg(json_build_object(
    'name', attname,
    'type', case when type.typtype = 'd' then format_type(type.typbasetype, type.typtypmod)
      else format_type(atttypid, atttypmod) end,
    'domain', case when type.typtype = 'd' then type.typname end,
    'notNull', attnotnull or type.typnotnull,
    'default', case when attgenerated = '' then coalesce(pg_get_expr(adbin, adrelid), type.typdefault) end,
    'generated', case when attgenerated <> '' then pg_get_expr(adbin, adrelid) end,
    'stored', attgenerated = 's',
    'identity', case attidentity when 'a' then 'always' when 'd' then 'byDefault' end,
    'enumeration', ${ENUMERATION}
  ) order by attnum)
  from pg_attribute
  join pg_type type on type.oid = atttypid
  left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where attrelid = c.oid and attnum > 0 and not attisdropped)`

const REFERENCES = `(
  select json_agg(json_build_object(
    'name', conname,
    'columns', ${NAMES('conrelid', 'conkey')},
    'schema', target_space.nspname,
    'table', target.relname,
    'targets', ${NAMES('confrelid', 'confkey')},
    'onDelete', ${ACTION('confdeltype')},
    'onUpdate', ${ACTION('confupdtype')}
  ) order by conname)
  from pg_constraint
  join pg_class target on target.oid = confrelid
  join pg_namespace target_space on target_space.oid = target.relnamespace
  where conrelid = c.oid and contype = 'f')`

/**
 * Whether an index compares a column like our statements: by the column's collation, the type's default operators and
 * the same order of nulls.
 */
const USUAL = `(indcollation[place - 1] in (0, attcollation) and opcdefault and indoption[place - 1] in (0, 3))`

/** The operator class of an expression, if not the default. Trigram indexes have one. */
const WAY = `(select case when opcdefault then '' else ' ' || opcname end from pg_opclass where oid = indclass[place - 1])`

const INDEXES = `(
  select json_agg(json_build_object(
    'name', ic.relname,
    'unique', indisunique,
    'constraint', exists (select from pg_constraint where conindid = indexrelid and contype = 'u'),
    'columns', case when indpred is null and indexprs is null and amname = 'btree' then (
      select json_agg(json_build_object('name', attname, 'descending', indoption[place - 1] & 1 = 1) order by place)
      from generate_series(1, indnkeyatts) as place
      join pg_attribute on attrelid = indrelid and attnum = indkey[place - 1]) end,
    'order', coalesce(case when indisvalid and indpred is null and amname = 'btree' then (
      select json_agg(json_build_object('name', name, 'descending', descending) order by place) from (
        select place, attname as name, indoption[place - 1] & 1 = 1 as descending,
          bool_and(coalesce(${USUAL}, false)) over (order by place) as usual
        from generate_series(1, indnkeyatts) as place
        join pg_opclass on pg_opclass.oid = indclass[place - 1]
        left join pg_attribute on attrelid = indrelid and attnum = nullif(indkey[place - 1], 0)) as keys
      where usual) end, '[]'),
    'expressions', coalesce(case when indisvalid and indpred is null then (
      select json_agg(pg_get_indexdef(indexrelid, place, true) || ${WAY} order by place)
      from generate_series(1, indnkeyatts) as place where indkey[place - 1] = 0) end, '[]'),
    'covering', indnatts > indnkeyatts,
    'valid', indisvalid
  ) order by ic.relname)
  from pg_index
  join pg_class ic on ic.oid = indexrelid
  join pg_am on pg_am.oid = ic.relam
  where indrelid = c.oid and not indisprimary)`

const TABLES = `
  select json_build_object(
    'schema', nspname,
    'name', relname,
    'kind', case when relkind in ('v', 'm') then 'view' else 'table' end,
    'storage', case relkind when 'p' then 'partitioned' when 'f' then 'foreign' else 'own' end,
    'columns', coalesce(${COLUMNS}, '[]'),
    'primaryKey', coalesce(
      (select ${NAMES('conrelid', 'conkey')} from pg_constraint where conrelid = c.oid and contype = 'p'), '[]'),
    'references', coalesce(${REFERENCES}, '[]'),
    'indexes', coalesce(${INDEXES}, '[]'))
  from pg_class c
  join pg_namespace n on n.oid = relnamespace
  where relkind in ('r', 'p', 'f', 'v', 'm') and not relispartition and nspname = any($1)
    and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
  order by nspname, relname`

export async function readPgCatalogue(
  executor: Executor,
  schemas: readonly string[],
): Promise<readonly CatalogueTable[]> {
  const { rows } = await executor.run({ text: TABLES }, [schemas])
  return rows.map(([text]) => JSON.parse(String(text)))
}
