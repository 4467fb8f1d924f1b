import { ConfigError } from '../../core/errors.ts'
import type { ColumnInfo, TableInfo } from '../../model/model-info.ts'
import { signals } from '../../model/signals.ts'
import { isWritable, type ManyField, takesRecords } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { hasJoinTable } from '../../store/to-many.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import type { AnyResourceClass, Mixin } from '../mixin.ts'
import { BulkCreateModelMixin } from '../mixins/bulk-create-model-mixin.ts'
import { BulkUpdateModelMixin } from '../mixins/bulk-update-model-mixin.ts'
import { BulkUpsertModelMixin } from '../mixins/bulk-upsert-model-mixin.ts'
import { CreateModelMixin } from '../mixins/create-model-mixin.ts'
import { UpdateModelMixin } from '../mixins/update-model-mixin.ts'

/** Hooks whose overrides may store values outside the serializer. */
const VALUE_HOOKS = ['getSerializer', 'validate', 'validateMany']
const WRITERS: readonly Mixin[] = [
  CreateModelMixin,
  UpdateModelMixin,
  BulkCreateModelMixin,
  BulkUpdateModelMixin,
  BulkUpsertModelMixin,
]
const CREATING = ['create', 'bulkCreate', 'bulkUpsert']
const WRITING = [...CREATING, 'update', 'bulkUpdate']

/** Checks that a client can send all required columns. Skipped if the resource fills values itself. */
export function checkCreates(subject: string, resource: AnyResourceClass, view: GenericViewSet): void {
  const { config, fixedValues } = resource.definition
  if (config.fixedValues || fixedValues.length > 0 || fillsValues(view)) return
  const routes = resource.mixins.flatMap(mixin => mixin.routes)
  const has = (actions: readonly string[]) => routes.some(({ action }) => actions.includes(action))
  const missing = has(CREATING) ? unfilled(config.serializer) : undefined
  if (missing) {
    const remedy = 'name it among the fields, give the column a default, or fill it by fixedValues or performCreate'
    throw new ConfigError(subject, 'serializer', `${problemOf(config.serializer, missing)}; ${remedy}`)
  }
  if (has(WRITING)) checkRelated(subject, config.serializer, 'serializer')
}

function fillsValues(view: GenericViewSet): boolean {
  return (
    VALUE_HOOKS.some(hook => view.overrides(hook)) ||
    WRITERS.some(mixin => mixin.hooks.some(hook => mixin.overrides(view, hook)))
  )
}

function checkRelated(subject: string, { fields }: ModelSerializer, path: string): void {
  for (const field of fields.filter(isWritable)) {
    const at = `${path}.${field.key}`
    if (field.kind === 'many') {
      checkLinks(subject, field, at)
      if (!takesRecords(field) || !field.serializer) continue
      const filled = hasJoinTable(field.relation) ? [] : [field.relation.source]
      if (!field.fixedValues) refuseUnfilled(subject, field.serializer, at, filled)
      checkRelated(subject, field.serializer, at)
      continue
    }
    if (field.kind === 'input') continue
    const { relation } = field
    const takesObjects = relation?.write === 'data' || relation?.write === 'flexible'
    if (!takesObjects || !relation.serializer || relation.fixedValues) continue
    refuseUnfilled(subject, relation.serializer, at)
    checkRelated(subject, relation.serializer, at)
  }
}

function unfilled({ info, fields }: ModelSerializer, filled: readonly ColumnInfo[] = []): ColumnInfo | undefined {
  // A handler may fill the column.
  if (signals.preSave.isHeard(info.table)) return undefined
  const given = new Set(fields.filter(isWritable).map(({ valueKey }) => valueKey))
  return requiredOf(info).find(column => !given.has(column.key) && !filled.includes(column))
}

function requiredOf({ columns }: TableInfo): readonly ColumnInfo[] {
  return columns.filter(({ nullable, hasDefault }) => !nullable && !hasDefault)
}

function problemOf({ info, fields }: ModelSerializer, { key }: ColumnInfo): string {
  const isShown = fields.some(field => field.kind === 'stored' && field.column.key === key)
  return `"${key}" of "${info.name}" is required and ${isShown ? 'read-only' : 'not in the serializer'}, so nothing could be created`
}

function refuseUnfilled(
  subject: string,
  serializer: ModelSerializer,
  at: string,
  filled?: readonly ColumnInfo[],
): void {
  const missing = unfilled(serializer, filled)
  if (!missing) return
  const remedy = 'name it among the fields of that serializer, give the column a default, or take identifiers only'
  throw new ConfigError(subject, at, `${problemOf(serializer, missing)}; ${remedy}`)
}

function checkLinks(subject: string, { relation }: ManyField, at: string): void {
  const { links, source, target } = relation
  if (!hasJoinTable(relation)) return
  const missing = requiredOf(links).find(other => other !== source && other !== target)
  if (!missing) return
  const remedy = `give the column a default, set readOnly, or make "${links.name}" a resource of its own`
  throw new ConfigError(
    subject,
    at,
    `"${missing.key}" of "${links.name}" is required and a link has no more than its two keys; ${remedy}`,
  )
}
