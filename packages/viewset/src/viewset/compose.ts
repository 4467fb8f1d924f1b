import { ConfigError } from '../core/errors.ts'
import { wrongDatabase } from '../model/drizzle.ts'
import { modelInfo } from '../model/model-info.ts'
import type { Database } from '../store/database.ts'
import { checkCreates } from './check-creates.ts'
import { checkQuerysets } from './check-querysets.ts'
import { checkDefaults, defineResource, type ResourceConfig } from './config.ts'
import { GenericViewSet } from './generic-viewset.ts'
import type { Mixin } from './mixin.ts'
import type { ViewSetFactory } from './types.ts'
import { viewOfNobody } from './view-of-nobody.ts'

/** The class of a resource as the implementation sees it. */
export type AnyResourceClass = typeof GenericViewSet & { readonly mixins: readonly Mixin[] }

/**
 * Makes a kind of ViewSet from action mixins. A resource of it has the actions of these mixins and no others.
 *
 * @example
 * const FeedViewSet = compose(ListModelMixin, CreateModelMixin)({
 *   model: articles, serializer: ArticleSerializer, permissionClasses: [AllowAny],
 * })
 */
export function compose<const X extends readonly Mixin[]>(...mixins: X): ViewSetFactory<X[number]['name']> {
  for (const mixin of mixins) {
    if (!Array.isArray(mixin?.routes)) {
      throw new ConfigError(
        'compose',
        'mixins',
        'takes mixins only, such as ListModelMixin, or what defineMixin returns',
      )
    }
  }
  // The factory's own code knows any model; its type knows the one it is called with. They meet here.
  return factory(mixins, {}) as unknown as ViewSetFactory<X[number]['name']>
}

function factory(mixins: readonly Mixin[], defaults: Partial<ResourceConfig>) {
  const make = (config: ResourceConfig): AnyResourceClass => {
    const definition = defineResource(mixins, { ...defaults, ...config })
    class Resource extends GenericViewSet {
      static override readonly definition = definition
      static readonly mixins = mixins
    }
    for (const mixin of mixins) {
      Object.defineProperties(Resource.prototype, Object.getOwnPropertyDescriptors(mixin.methods))
    }
    return Resource
  }
  const withDefaults = (more: Partial<ResourceConfig>): object => {
    checkDefaults(mixins, more)
    return factory(mixins, { ...defaults, ...more })
  }
  return Object.assign(make, { mixins, with: withDefaults })
}

/** A resource's class, from whatever an application registers. @throws ConfigError when it is something else. */
export function asResourceClass(name: string, value: unknown, database: Database): AnyResourceClass {
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
  const { name: table, dialect } = modelInfo(resource.definition.config.model)
  if (dialect !== database.dialect.name) {
    throw new ConfigError(subject, 'model', wrongDatabase(table, dialect, database.dialect.name))
  }
  // What only the whole knows: the class with all that it overrides, and the tables that its conditions name.
  const view = viewOfNobody(resource, database)
  if (view) {
    checkCreates(subject, resource, view)
    checkQuerysets(subject, view)
  }
  return resource
}
