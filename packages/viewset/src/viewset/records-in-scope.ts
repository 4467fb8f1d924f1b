import { and } from 'drizzle-orm'
import { type FieldErrors, NON_FIELD_ERRORS, PermissionDenied, ValidationError } from '../core/errors.ts'
import { type Message, message } from '../core/messages/message.ts'
import { shownValue } from '../core/text.ts'
import { kindOf } from '../kinds/kinds.ts'
import type { ColumnInfo, ModelInfo } from '../model/model-info.ts'
import { OUTSIDE_OF_QUERYSET, outsideOf } from '../records/write-records.ts'
import { checkedCondition } from '../store/checked-condition.ts'
import type { Database } from '../store/connection/database.ts'
import { projection } from '../store/projection.ts'
import { QuerySet } from '../store/queryset.ts'
import type { ResourceConfig, ResourceDefinition } from './resource/resource.ts'

interface ScopedView {
  readonly database: Database
  readonly definition: ResourceDefinition
  readonly registered: { readonly resourceName?: string | undefined }
  getScope(): ResourceConfig['queryset']
}

export function recordsInScope(view: ScopedView): QuerySet {
  const { database, definition } = view
  const all = withinScopes(view, new QuerySet(database, definition.model))
  const scope = view.getScope()
  // TypeScript cannot check this: a scope expects the view of its own model.
  return scope ? all.filter(checkedCondition(subjectOf(view), 'queryset', scope(view as never))) : all
}

export function withinScopes(view: Omit<ScopedView, 'getScope' | 'database'>, queryset: QuerySet): QuerySet {
  const { scopes } = view.definition
  if (scopes.length === 0) return queryset
  const conditions = scopes.map(({ mixin, condition }) =>
    checkedCondition(subjectOf(view), `scope of ${mixin}`, condition(view as never)),
  )
  return queryset.filter(and(...conditions))
}

function subjectOf({ definition, registered }: Pick<ScopedView, 'definition' | 'registered'>): string {
  const { resourceName } = registered
  return resourceName === undefined ? definition.subject : `resources.${resourceName}`
}

interface CheckedView {
  readonly config: Pick<ResourceConfig, 'checkScope'>
  getQueryset(): Promise<QuerySet>
}

/** `place` returns the place of a record in a bulk request, for the errors. */
export async function checkCreated(
  view: CheckedView,
  keys: () => readonly unknown[],
  place: (index: number) => string = () => '',
): Promise<void> {
  if (view.config.checkScope === 'never') return
  const errors: FieldErrors = {}
  for (const index of await outsideOf(await view.getQueryset(), keys)) {
    errors[place(index) + NON_FIELD_ERRORS] = [OUTSIDE_OF_QUERYSET]
  }
  if (Object.keys(errors).length > 0) throw new ValidationError(errors)
}

/** Like {@link checkCreated} for updates, if `checkScope` is `'always'`. @throws PermissionDenied */
export async function checkUpdated(view: CheckedView, keys: () => readonly unknown[]): Promise<void> {
  if (view.config.checkScope !== 'always') return
  if ((await outsideOf(await view.getQueryset(), keys)).length > 0) throw new PermissionDenied(OUTSIDE_OF_QUERYSET)
}

interface PathView {
  readonly findsDeleted: boolean
  hidesLookup(): boolean
  readonly request: { readonly params: Readonly<Record<string, string | undefined>> }
  readonly definition: Pick<ResourceDefinition, 'model' | 'lookup'>
}

/**
 * The column whose value is in the path; `undefined` for a composite key. A restore goes by the primary key: an active
 * record may have the slug of a deleted one.
 */
export function lookupOf({
  findsDeleted,
  definition,
}: Pick<PathView, 'findsDeleted' | 'definition'>): ColumnInfo | undefined {
  const { lookup, model } = definition
  return lookup && findsDeleted ? model.primaryKey : lookup
}

/**
 * The message for a path whose key has the wrong form. `undefined` for the path of a singleton, which has no key.
 * `undefined` also for a field that the user may not read.
 */
export function noSuchKey(view: PathView): Message | undefined {
  const { request, definition } = view
  const lookup = lookupOf(view)
  if (request.params.id === undefined || isHidden(view, lookup)) return undefined
  const field = lookup ? lookup.wire : definition.model.key.map(({ wire }) => wire).join(',')
  return message('not_found.key', { field, value: shownValue(request.params.id) })
}

function isHidden(view: PathView, lookup: ColumnInfo | undefined): boolean {
  return lookup !== undefined && lookup === view.definition.lookup && view.hidesLookup()
}

/** The value of the lookup field in the path of a request; `undefined` for none, a malformed or a hidden one. */
export function lookupInPath(view: PathView): unknown {
  const lookup = lookupOf(view)
  return lookup && !isHidden(view, lookup) ? readPart(view, lookup) : undefined
}

export function partsInPath({ request, definition: { model } }: PathView): readonly unknown[] | undefined {
  return partsIn(model, request.params.id ?? '')
}

/**
 * The parts of a composite key in a text: `7,blue`. In a part, a comma is written `~1` and a tilde `~0` (as in RFC
 * 6901). `undefined` for another number of parts, or for a malformed one.
 */
export function partsIn(model: ModelInfo, name: string): readonly unknown[] | undefined {
  const texts = name.split(',').map(text => text.replaceAll('~1', ',').replaceAll('~0', '~'))
  if (texts.length !== model.key.length) return undefined
  const parts = model.key.map((column, at) => kindOf(column).readKey(column, texts[at] as string))
  return parts.includes(undefined) ? undefined : parts
}

/** The value of a column in the only record of a set; `undefined` for an empty set. */
export async function onlyKey(queryset: QuerySet, column: ColumnInfo): Promise<unknown> {
  const { database, model } = queryset
  const [row, other] = await queryset.rows(projection(model, [column]), { limit: 2, offset: 0 })
  if (other) throw new Error(`singleton: the queryset of "${model.name}" has several records; it must have one`)
  return row && database.dialect.decoder(column)(row[0])
}

/** The primary key in the path; `undefined` if the path names its record by another field. */
export function keyInPath(view: PathView): unknown {
  const lookup = lookupOf(view)
  const isKey = lookup !== undefined && lookup === view.definition.model.primaryKey
  return isKey && !isHidden(view, lookup) ? readPart(view, lookup) : undefined
}

/** The primary key in a path that may name a record by it, although the resource has another lookup field. */
export function keyBesideLookup(view: PathView): unknown {
  return readPart(view, view.definition.model.primaryKey)
}

function readPart({ request: { params } }: PathView, column: ColumnInfo): unknown {
  return params.id === undefined ? undefined : kindOf(column).readKey(column, params.id)
}
