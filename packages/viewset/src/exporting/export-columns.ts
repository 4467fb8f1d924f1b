import { ConfigError } from '../core/errors.ts'
import { suggestion } from '../core/suggestion.ts'
import { type ColumnPath, resolvePath } from '../model/column-path.ts'
import type { FieldPath, Model } from '../model/kit.ts'
import type { ColumnInfo } from '../model/model-info.ts'
import { isVersionTime } from '../model/version-column.ts'
import {
  type ComputedField,
  type ExpressionField,
  isReadable,
  type ManyField,
  type SerializerField,
  type StoredField,
  type ToOneRelation,
} from '../serializer/fields.ts'
import type { ModelSerializer, SerializerOutput } from '../serializer/model-serializer.ts'
import type { Scope } from '../store/projection.ts'
import type { TabularColumn } from '../tabular/table.ts'
import { tabularType } from './cells.ts'

/** Headers by field or path, in code's names: `{ title: 'Title', createdBy__username: 'Written by' }`. */
export type ExportFieldConfig<M extends Model = Model, S = unknown> = {
  readonly [P in FieldPath<M> | Extract<keyof SerializerOutput<S>, string>]?: string
}

export interface ExportColumn extends TabularColumn {
  readonly wire: string
  readonly source: ColumnSource
}

export type ColumnSource =
  | { readonly from: 'column'; readonly column: ColumnInfo; readonly steps: readonly ScopedStep[] }
  | { readonly from: 'toOne'; readonly field: StoredField; readonly relation: ToOneRelation }
  | { readonly from: 'toMany'; readonly field: ManyField; readonly separator: string | undefined }
  | { readonly from: 'expression'; readonly field: ExpressionField }
  | { readonly from: 'function'; readonly field: ComputedField }

export type ScopedStep = ColumnPath['steps'][number] & {
  /** Cells for other records than these are empty. */
  readonly scope: Scope | undefined
}

/** The texts between the items of a cell, by relation to many. Default: commas. */
export type ListSeparators = ReadonlyMap<string, string>

export interface ExportColumns {
  readonly byWire: ReadonlyMap<string, ExportColumn>
  readonly standard: readonly ExportColumn[]
}

/** @throws ConfigError for an unknown field, and for one that no client may read. */
export function exportColumns(
  subject: string,
  serializer: ModelSerializer,
  config: Readonly<Record<string, string | undefined>> | undefined,
  separators: ListSeparators = new Map(),
): ExportColumns {
  const byWire = new Map<string, ExportColumn>()
  for (const field of serializer.fields) {
    if (isReadable(field)) byWire.set(field.wire, fieldColumn(field, separators))
  }
  if (config === undefined) return { byWire, standard: [...byWire.values()] }
  if (typeof config !== 'object' || config === null) {
    throw refusal(subject, 'must give headers by field, as in { title: "Title" }')
  }
  if (Object.keys(config).length === 0) {
    throw refusal(subject, "names no field; leave it out to export the serializer's fields")
  }
  const standard = Object.entries(config).map(([key, header]) => {
    if (typeof header !== 'string' || header.trim() === '') {
      throw refusal(subject, `the header of "${key}" must be a text`)
    }
    const column = { ...configuredColumn(subject, serializer, key, separators), header }
    byWire.set(column.wire, column)
    return column
  })
  return { byWire, standard }
}

function refusal(subject: string, problem: string): ConfigError {
  return new ConfigError(subject, 'exportFieldConfig', problem)
}

function configuredColumn(
  subject: string,
  serializer: ModelSerializer,
  key: string,
  separators: ListSeparators,
): ExportColumn {
  const field = serializer.fields.find(candidate => candidate.key === key)
  if (field && !isReadable(field)) throw refusal(subject, `"${key}" is write-only: no client may read it`)
  if (field) return fieldColumn(field, separators)
  if (!key.includes('__') && !serializer.info.byKey.has(key)) {
    const known = [
      ...serializer.fields.filter(isReadable).map(readable => readable.key),
      ...serializer.info.byKey.keys(),
    ]
    throw refusal(subject, `unknown field "${key}"${suggestion(key, new Set(known))}`)
  }
  const { wire, steps, column } = resolvePath(subject, 'exportFieldConfig', serializer.info, key)
  return {
    wire,
    header: labelOf(wire),
    ...columnType(column),
    source: { from: 'column', column, steps: scopedSteps(serializer, steps) },
  }
}

/** Spreadsheets keep times to the millisecond only, so a time that is a version is text. */
function columnType(column: ColumnInfo): Pick<TabularColumn, 'kind' | 'scale'> {
  return isVersionTime(column) ? { kind: 'text' } : tabularType(column)
}

/** The plain value of a column. */
export function valueColumn(column: ColumnInfo): ExportColumn {
  const { wire } = column
  return { wire, header: labelOf(wire), ...columnType(column), source: { from: 'column', column, steps: [] } }
}

function fieldColumn(field: SerializerField, separators: ListSeparators): ExportColumn {
  const named = { wire: field.wire, header: labelOf(field.wire) }
  if (field.kind === 'computed') return { ...named, kind: 'text', source: { from: 'function', field } }
  if (field.kind === 'expression') {
    return { ...named, ...tabularType(field.value), source: { from: 'expression', field } }
  }
  if (field.kind === 'input') throw new Error('An input is not shown, so no column of a file has it.')
  if (field.kind === 'many') {
    return { ...named, kind: 'text', source: { from: 'toMany', field, separator: separators.get(field.key) } }
  }
  const { nested, column } = field
  if (!nested) return { ...valueColumn(column), ...named }
  // One value of the related record is an ordinary cell of that column's type.
  const shown = nested.read === 'str' ? nested.str : nested.read === 'id' ? nested.target : undefined
  if (!shown) return { ...named, kind: 'text', source: { from: 'toOne', field, relation: nested } }
  const { model, target, scope, scopeReads } = nested
  const step = { foreignKey: column, model, target, scope: scopeReads ? scope : undefined }
  return { ...named, ...tabularType(shown), source: { from: 'column', column: shown, steps: [step] } }
}

function scopedSteps(serializer: ModelSerializer, steps: ColumnPath['steps']): readonly ScopedStep[] {
  let at: ModelSerializer | undefined = serializer
  return steps.map(step => {
    const field: StoredField | undefined = at?.fields
      .filter(candidate => candidate.kind === 'stored')
      .find(candidate => candidate.column === step.foreignKey && candidate.relation !== null)
    at = field?.relation?.serializer
    return { ...step, scope: field?.relation?.scope }
  })
}

/** `created_by__username` -> `Created by username`: blanks replace underscores, which an import can reverse. */
export function labelOf(wire: string): string {
  const words = wire.replace(/_+/g, ' ').trim()
  return words.charAt(0).toUpperCase() + words.slice(1)
}
