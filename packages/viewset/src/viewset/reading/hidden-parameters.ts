import { parametersOf } from '../../query/filter-backends.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { FilterModelMixin } from '../mixins/filter-model-mixin.ts'
import { hiddenFields } from './hidden-fields.ts'

const NONE: readonly string[] = []

/** The query parameters of filters that this view's reader does not have. They are unknown to the reader. */
export function hiddenParameters(view: GenericViewSet): readonly string[] {
  const { definition } = view
  if (!definition.states.has(FilterModelMixin)) return NONE
  const hidden = hiddenFields(view)
  if (hidden.isEmpty) return NONE
  const filters = FilterModelMixin.own(definition)
  const known = parametersOf(filters(hidden))
  return Object.keys(parametersOf(filters())).filter(name => !Object.hasOwn(known, name))
}
