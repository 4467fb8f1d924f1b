import { parametersOf } from '../../query/filter-backends.ts'
import type { QueryParameters } from '../../query/query-parameters.ts'
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

/** The parameters of a list as this reader has them: without hidden ones, and without hidden orderings. */
export function readableQuery(view: GenericViewSet, query: QueryParameters): QueryParameters {
  const { definition } = view
  if (!definition.states.has(FilterModelMixin)) return query
  const hidden = hiddenFields(view)
  if (hidden.isEmpty) return query
  const filters = FilterModelMixin.own(definition)
  const known = parametersOf(filters(hidden))
  const isReadable = (name: string) => Object.hasOwn(known, name) || !Object.hasOwn(parametersOf(filters()), name)
  const readable = Object.entries(query).filter(([name]) => isReadable(name))
  return Object.fromEntries(readable.map(([name, parameter]) => [name, known[name] ?? parameter]))
}
