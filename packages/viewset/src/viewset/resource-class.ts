import type { GenericViewSet } from './generic-viewset.ts'
import type { Mixin } from './mixin.ts'

export type AnyResourceClass = typeof GenericViewSet & { readonly mixins: readonly Mixin[] }
