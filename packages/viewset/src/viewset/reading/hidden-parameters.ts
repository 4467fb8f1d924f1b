import { parametersOf } from '../../query/filter-backends.ts'
import type { QueryParameters } from '../../query/query-parameters.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { FilterModelMixin } from '../mixins/filter-model-mixin.ts'
import { hiddenFields } from './hidden-fields.ts'

/** The parameters of a resource's filters, for all and for one reader. */
interface FilterParameters {
  readonly all: QueryParameters
  readonly readable: QueryParameters
}

/** `undefined` if they are the same. */
function filterParameters(view: GenericViewSet): FilterParameters | undefined {
  const { definition } = view
  if (!definition.states.has(FilterModelMixin)) return undefined
  const hidden = hiddenFields(view)
  if (hidden.isEmpty) return undefined
  const filters = FilterModelMixin.own(definition)
  return { all: parametersOf(filters()), readable: parametersOf(filters(hidden)) }
}

const NONE: readonly string[] = []

/** The query parameters of filters that this view's reader does not have. They are unknown to the reader. */
export function hiddenParameters(view: GenericViewSet): readonly string[] {
  const parameters = filterParameters(view)
  if (!parameters) return NONE
  return Object.keys(parameters.all).filter(name => !Object.hasOwn(parameters.readable, name))
}

/** The parameters of a list as this reader has them: without hidden ones, and without hidden orderings. */
export function readableQuery(view: GenericViewSet, query: QueryParameters): QueryParameters {
  const parameters = filterParameters(view)
  if (!parameters) return query
  const { all, readable } = parameters
  const isKnown = (name: string) => Object.hasOwn(readable, name) || !Object.hasOwn(all, name)
  const known = Object.entries(query).filter(([name]) => isKnown(name))
  return Object.fromEntries(known.map(([name, parameter]) => [name, readable[name] ?? parameter]))
}
