import { and, eq, type SQL } from 'drizzle-orm'
import { NotFound } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { shownValue } from '../../core/text.ts'
import { kindOf } from '../../kinds/kinds.ts'
import { projection } from '../../store/projection.ts'
import { QuerySet } from '../../store/queryset.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import type { ResourceTenant } from '../tenant/tenant-setting.ts'
import { checkBodyOfParent } from './check-body.ts'
import type { ResourceParent } from './parent-setting.ts'

/** The keys of the parents that requests name, by the view. */
const found = new WeakMap<object, { readonly key: unknown }>()

/**
 * Finds the parent in the path, before the action. If the user may not read the field in the path, there is none.
 *
 * @throws NotFound
 * @throws ValidationError for a body that names another parent
 */
export async function findParent(
  view: GenericViewSet,
  parent: ResourceParent,
  { tenant, isHidden }: { readonly tenant: ResourceTenant | undefined; readonly isHidden: boolean },
): Promise<void> {
  if (isHidden) throw new NotFound(undefined, parent.model.name)
  const { param, model, lookup, target, scope } = parent
  const ofTenant = tenantCondition(view, parent, tenant)
  const text = view.request.params[param]
  const value = text === undefined ? undefined : kindOf(lookup).readKey(lookup, text)
  if (value === undefined) {
    throw new NotFound(message('not_found.key', { field: lookup.wire, value: shownValue(text) }), model.name)
  }
  const shown = projection(model, [...new Set([model.primaryKey, target])])
  const row = await new QuerySet(view.database, model).filter(and(scope?.(), ofTenant)).find(shown, lookup, value)
  if (!row) throw new NotFound(undefined, model.name)
  const decode = view.database.dialect.decoder(target)
  const key = decode(row[shown.columns.indexOf(target)])
  found.set(view, { key })
  checkBodyOfParent(view, parent, key)
}

/** Without it, a path could name the parents of several tenants. */
function tenantCondition(
  view: GenericViewSet,
  parent: ResourceParent,
  tenant: ResourceTenant | undefined,
): SQL | undefined {
  return parent.tenant && tenant ? eq(parent.tenant.column, tenant.of(view)) : undefined
}

/** The key of the parent that a request names; `undefined` without a request. */
export function keyOfParent(view: object): unknown {
  return found.get(view)?.key
}
