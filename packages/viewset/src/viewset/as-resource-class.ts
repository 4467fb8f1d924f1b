import { ConfigError } from '../core/errors.ts'
import type { ApiSettings } from '../core/settings.ts'
import { wrongDatabase } from '../model/dialect/dialects.ts'
import type { Database } from '../store/database.ts'
import { checkCreates } from './check-creates.ts'
import { checkQuerysets } from './check-querysets.ts'
import { GenericViewSet } from './generic-viewset.ts'
import type { AnyResourceClass } from './resource-class.ts'
import { viewOfNobody } from './view-of-nobody.ts'

/** A resource's class, from whatever an application registers. @throws ConfigError when it is something else. */
export function asResourceClass(
  name: string,
  value: unknown,
  database: Database,
  settings: ApiSettings,
): AnyResourceClass {
  const subject = `resources.${name}`
  if (!/^[^\s/?#]+(\/[^\s/?#]+)*$/.test(name)) {
    throw new ConfigError(subject, 'name', 'must be a path such as "articles", without a slash at either end')
  }
  if (typeof value !== 'function' || !(value.prototype instanceof GenericViewSet)) {
    throw new ConfigError(
      subject,
      'class',
      'is not a viewset; make it with BaseViewSet({...}), ReadOnlyViewSet({...}) or compose(...)({...})',
    )
  }
  const resource = value as AnyResourceClass
  const { name: table, dialect } = resource.definition.model
  if (dialect.name !== database.dialect.name) {
    throw new ConfigError(subject, 'model', wrongDatabase(table, dialect, database.dialect))
  }
  // What only the whole knows: the class with all that it overrides, and the tables that its conditions name.
  const view = viewOfNobody(resource, database, settings)
  if (view) {
    checkCreates(subject, resource, view)
    checkQuerysets(subject, resource, view)
  }
  return resource
}
