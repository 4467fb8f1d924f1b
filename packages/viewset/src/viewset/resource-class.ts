import type { GenericViewSet } from './generic-viewset.ts'
import type { Mixin } from './mixin.ts'

/** The class of a resource as the implementation sees it. */
export type AnyResourceClass = typeof GenericViewSet & { readonly mixins: readonly Mixin[] }
