import { ConfigError } from '../../core/errors.ts'
import { jsonOf } from '../../core/json/json-of.ts'
import type { Decoder } from '../../model/dialect/dialect.ts'
import { expressionDriverValue, expressionJson } from '../../model/dialect/expression-json.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import type { Database } from '../../store/connection/database.ts'
import type { Executor, RawRow } from '../../store/connection/driver.ts'
import { type ProjectedRelation, type Projection, projection } from '../../store/projection.ts'
import { decodeRow } from '../../store/row-set.ts'
import { type RelatedRows, readRelated, readWholeLists } from '../../store/to-many.ts'
import {
  type ExpressionField,
  isReadable,
  type ManyField,
  type SerializerField,
  type StoredField,
  type ToOneRelation,
  truncatedName,
} from '../fields.ts'
import type { LoadRelated, Part, Related, Representation } from './row-writer.ts'

export function projectedRelation({ column, nested }: StoredField): ProjectedRelation {
  const { target, scope, scopeReads, ...relation } = nested as ToOneRelation
  return { foreignKey: column, target, projection: shownOf({ target, ...relation }), ...(scopeReads && { scope }) }
}

function shownOf({ model, read, serializer, str, target }: Omit<ToOneRelation, 'scope' | 'scopeReads'>): Projection {
  if (read === 'data' && serializer) return serializer.listed.projection
  if (read === 'custom') return projection(model, model.columns)
  return projection(model, [...new Set([model.primaryKey, read === 'str' && str ? str : target])])
}

/** The writer of a relation whose values begin at `at`. `slot` is its place among the related data. */
export function toOnePart(name: string, relation: ToOneRelation, related: Projection, at: number, slot: number): Part {
  const { model, read, serializer, str, target, output } = relation
  const key = at + related.columns.indexOf(model.primaryKey)
  const whenNull = `${name}null`
  if (read === 'data' && serializer) {
    const { write, loadRelated } = serializer.listed
    return {
      write: (row, base, prepared) =>
        row[base + key] === null
          ? whenNull
          : `${name}${write(row, base + at, prepared?.[slot] as Related | undefined)}}`,
      loadRelated:
        loadRelated && ((database, rows, base, executor) => loadRelated(database, rows, base + at, executor)),
    }
  }
  const { dialect } = model
  if (read === 'custom' && output) {
    return plain((row, base) => {
      if (row[base + key] === null) return whenNull
      return name + jsonOf(output(decodeRow(dialect, model, row.slice(base + at))))
    })
  }
  const shown = (read === 'str' && str) || target
  const value = at + related.columns.indexOf(shown)
  const json = dialect.jsonWriter(shown)
  return plain((row, base) => {
    const raw = row[base + value]
    // Also null without a record: the join found nothing.
    return raw === null ? whenNull : name + json(raw)
  })
}

function plain(write: Part['write']): Part {
  return { write, loadRelated: null }
}

/**
 * The writer of a relation to many records, which {@link Part.loadRelated} reads for all rows at once. A list that is
 * read in part has a mark behind it. Without a name, lists are complete: a file has no place for a mark.
 */
export function toManyPart(name: string, field: ManyField, at: number, slot: number): Part {
  const { relation } = field
  const listed = itemsOf(field)
  const mark = `],${JSON.stringify(truncatedName(field))}:true`
  const loadRelated = async (database: Database, rows: readonly RawRow[], base: number, executor: Executor) => {
    const keys = keysOf(database.dialect.decoder(relation.ownerKey), rows, base + at)
    const { rows: found, truncated }: RelatedRows =
      name === ''
        ? { rows: await readWholeLists(database, executor, relation, listed.projection, keys), truncated: new Set() }
        : await readRelated(database, executor, relation, listed.projection, keys)
    // A row begins with its owner's key, before the projection's values.
    const related = listed.loadRelated ? await listed.loadRelated(database, found, 1, executor) : undefined
    const lists = new Map<string, string>()
    for (const row of found) {
      const owner = String(row[0])
      const before = lists.get(owner)
      lists.set(owner, `${before === undefined ? '' : `${before},`}${listed.write(row, 1, related)}`)
    }
    for (const owner of truncated) lists.set(owner, `${lists.get(owner) ?? ''}${mark}`)
    return lists
  }
  return {
    loadRelated,
    write: (row, base, prepared) => {
      const lists = prepared?.[slot]
      if (!(lists instanceof Map)) throw new Error('The rows were not prepared: a relation to many is read beforehand.')
      const list = lists.get(String(row[base + at])) ?? ''
      return list.endsWith(mark) ? `${name}[${list}` : `${name}[${list}]`
    },
  }
}

type ItemWriter = Pick<Representation, 'projection' | 'write' | 'loadRelated'>

/** The writer of one related record: an object, its key, or the field that stands for it. */
function itemsOf({ relation, read, serializer, str }: ManyField): ItemWriter {
  const { model, relatedKey } = relation
  if (read === 'data' && serializer) {
    const { projection, write, loadRelated } = serializer.listed
    return { projection, loadRelated, write: (row, base, related) => `${write(row, base, related)}}` }
  }
  const shown = (read === 'str' && str) || relatedKey
  const columns = [...new Set([model.primaryKey, shown])]
  const at = columns.indexOf(shown)
  const json = model.dialect.jsonWriter(shown)
  return {
    projection: projection(model, columns),
    loadRelated: null,
    write: (row, base) => (row[base + at] === null ? 'null' : json(row[base + at])),
  }
}

function keysOf(decode: Decoder, rows: readonly RawRow[], at: number): readonly unknown[] {
  const keys = new Map<string, unknown>()
  for (const row of rows) if (row[at] !== null) keys.set(String(row[at]), row[at])
  return [...keys.values()].map(raw => decode(raw))
}

/** Loads the related data of all parts in sequence, because they may share a connection. */
export function loadAllRelated(parts: readonly Part[]): LoadRelated | null {
  const needed = parts.flatMap(({ loadRelated }, slot) => (loadRelated ? [{ loadRelated, slot }] : []))
  if (needed.length === 0) return null
  return async (database, rows, base, executor) => {
    const related: Related[number][] = []
    for (const { loadRelated, slot } of needed) related[slot] = await loadRelated(database, rows, base, executor)
    return related
  }
}

/** The number of further statements for reading these fields: one for each relation to many, at any depth. */
export function relatedStatements(fields: readonly SerializerField[]): number {
  return fields
    .filter(isReadable)
    .map(statementsOf)
    .reduce((sum, statements) => sum + statements, 0)
}

function statementsOf(field: SerializerField): number {
  if (field.kind === 'many') return 1 + (field.read === 'data' ? relatedStatements(field.serializer?.fields ?? []) : 0)
  if (field.kind !== 'stored' || field.nested?.read !== 'data') return 0
  return relatedStatements(field.nested.serializer?.fields ?? [])
}

interface ExpressionReader {
  /** JSON text of the declared type. @throws ConfigError for a value of another type */
  json(raw: unknown): string
  /** The value for the dialect's decoders. @throws ConfigError for a value of another type */
  checked(raw: unknown): unknown
}

/**
 * The reader of an expression's values. No database enforces the declared type, so each value is checked. Numbers may
 * arrive as texts, as from SQLite's `strftime` and always from PostgreSQL.
 */
export function expressionReader({ dialect, name }: ModelInfo, field: ExpressionField): ExpressionReader {
  const { value, notNull, key } = field
  const write = expressionJson(value, dialect.jsonWriter(value))
  const refusal = (problem: string) =>
    new ConfigError(`BaseModelSerializer(${name})`, 'extra', `"${key}" is an ExpressionField ${problem}`)
  const json = (raw: unknown): string => {
    if (raw === null) {
      if (notNull)
        throw refusal('with notNull, and its SQL returns null; leave notNull out, or use coalesce(...) in SQL')
      return 'null'
    }
    const text = write(raw)
    if (text !== undefined) return text
    throw refusal(
      `of type '${value.kind}', and its SQL returns another type; cast it in SQL, or declare the type it has`,
    )
  }
  return { json, checked: raw => expressionDriverValue(value, raw, json(raw)) }
}
