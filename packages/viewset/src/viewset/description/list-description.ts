import type { JsonSchema } from '../../kinds/json-schema.ts'
import type { PageShape, Pagination } from '../../query/pagination.ts'
import type { QueryParameters } from '../../query/query-parameters.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { RecordNames } from './record-names.ts'
import { ETAG_OF_ITEM, listSchema, objectSchema, type RouteDescription } from './route-description.ts'

interface ListSettings {
  readonly serializer: ModelSerializer
  readonly appendIndexes?: boolean
  readonly allowUnpaginated?: unknown
  readonly appendEtags?: boolean
}

interface ListedResource {
  readonly names: RecordNames
  readonly config: ListSettings
}

interface ListPages {
  readonly pages: Pagination
  /** The default of the parameter `paginated`. */
  readonly isPaginated: boolean
}

const INDEX = { index: { type: 'integer', minimum: 1, description: 'The position in the whole list.' } }

export function describeList(
  { names, config }: ListedResource,
  { pages, isPaginated }: ListPages,
  filters: QueryParameters,
): RouteDescription {
  const { appendIndexes = true, allowUnpaginated = true } = config
  const shape = pages.pageShape()
  const { hasIndex } = shape
  const items = (indexed: boolean | undefined) => listSchema(itemSchema(config, appendIndexes && indexed))
  const mayBeWhole = !isPaginated || allowUnpaginated !== false
  const description = 'Whether the list comes in pages. Otherwise the answer is the whole list.'
  return {
    summary: `List ${names.many}`,
    description: isPaginated
      ? `In pages.${mayBeWhole ? ' With `paginated=false`, the whole list.' : ''}`
      : 'The whole list. With `paginated=true`, in pages.',
    query: {
      ...forPages({ paginated: { type: 'boolean', default: isPaginated, description }, ...pages.queryParameters }),
      ...filters,
    },
    data: items(hasIndex),
    pages: { links: linksSchema(shape), ...(mayBeWhole && { whole: items(true) }) },
    ...(isPaginated && allowUnpaginated !== true && { errors: { 403: 'The user may have the list only in pages.' } }),
  }
}

function forPages(parameters: QueryParameters): QueryParameters {
  const described = Object.entries(parameters).map(([name, schema]) => [name, { purpose: 'page', ...schema }] as const)
  return Object.fromEntries(described)
}

/** A record and its position, which is optional if `indexed` is undefined. */
function itemSchema({ serializer, appendEtags }: ListSettings, indexed: boolean | undefined): JsonSchema {
  const record = serializer.outputSchema()
  const added = { ...(appendEtags && ETAG_OF_ITEM), ...(indexed !== false && INDEX) }
  if (Object.keys(added).length === 0) return record
  return { allOf: [record, objectSchema(added, indexed === undefined ? ['index'] : [])] }
}

const LINK: JsonSchema = { type: ['string', 'null'], format: 'uri' }

function linksSchema({ count, countNote }: PageShape): JsonSchema {
  if (count === 'none') return objectSchema({ next: LINK, previous: LINK })
  const type = count === 'number' ? 'integer' : ['integer', 'null']
  const number = { type, minimum: 0, ...(countNote && { description: `How many there are. ${countNote}` }) }
  return objectSchema({ count: number, next: LINK, previous: LINK }, count === undefined ? ['count'] : [])
}
