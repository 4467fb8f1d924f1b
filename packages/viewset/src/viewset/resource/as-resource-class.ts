import { CIRCULAR_IMPORT } from '../../core/config-error.ts'
import { ConfigError } from '../../core/errors.ts'
import type { ApiSettings } from '../../core/settings.ts'
import { wrongDatabase } from '../../model/dialect/dialects.ts'
import type { Database } from '../../store/connection/database.ts'
import { isPath } from '../actions.ts'
import { GenericViewSet } from '../generic-viewset.ts'
import { viewWithoutRequest } from '../make-view.ts'
import type { AnyResourceClass } from '../mixin.ts'
import { checkCreates } from './check-creates.ts'
import { checkHooks, checkMembers } from './check-hooks.ts'
import { checkQuerysets } from './check-querysets.ts'

/** Members that the library calls beside the hooks. An override would switch off permissions or hooks. */
const RESERVED_NAMES = [
  'definition',
  'layerOf',
  'overrides',
  'readJson',
  'writtenJson',
  'hasObjectPermissions',
  'isCustom',
  'registered',
]

export function asResourceClass(name: string, value: unknown): AnyResourceClass {
  const subject = `resources.${name}`
  if (!isPath(name)) {
    throw new ConfigError(subject, 'name', 'must be a path such as "articles", without a slash at either end')
  }
  if (value === undefined) {
    throw new ConfigError(subject, 'class', `is undefined; ${CIRCULAR_IMPORT}`)
  }
  if (typeof value !== 'function' || !(value.prototype instanceof GenericViewSet)) {
    throw new ConfigError(
      subject,
      'class',
      'is not a viewset; make it with BaseViewSet({...}), ReadOnlyViewSet({...}) or compose(...)({...})',
    )
  }
  return value as AnyResourceClass
}

export function checkResource(
  name: string,
  resource: AnyResourceClass,
  database: Database,
  settings: ApiSettings,
): void {
  const subject = `resources.${name}`
  const { name: table, dialect } = resource.definition.model
  if (dialect.name !== database.dialect.name) {
    throw new ConfigError(subject, 'model', wrongDatabase(table, dialect, database.dialect))
  }
  // These checks need the complete class and the tables that its conditions name.
  const view = viewWithoutRequest(resource, database, settings)
  const taken = RESERVED_NAMES.find(
    own => ownerOf(resource.prototype, own) !== GenericViewSet.prototype || Object.hasOwn(view ?? {}, own),
  )
  if (taken !== undefined) {
    throw new ConfigError(subject, taken, 'is a name that Viewset needs for itself; give this member another one')
  }
  checkHooks(subject, resource, view)
  checkMembers(subject, resource, view)
  if (view) {
    checkCreates(subject, resource, view)
    checkQuerysets(subject, view)
  }
}

function ownerOf(prototype: object | null, name: string): object | null {
  return prototype === null || Object.hasOwn(prototype, name)
    ? prototype
    : ownerOf(Object.getPrototypeOf(prototype), name)
}
