import { AllowAny, BaseModelSerializer, LimitOffsetPaginationWithFormat, ReadOnlyViewSet } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { expectError, expectInvalid } from '../support/expect.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'
import { models } from '../support/models.ts'

const WHOLE = 'Enter a whole number, such as 42.'
const SIZE = 'Enter a whole number above 0.'

describeOneDialect('query parameters that are not valid', dialect => {
  const tables = models(dialect.kit)
  const settings = {
    model: tables.articles,
    serializer: BaseModelSerializer(tables.articles, { fields: ['title', 'rating'] }),
    permissionClasses: [AllowAny],
    filterFields: { rating: ['gte', 'lte'] },
    searchFields: ['title'],
    orderingFields: ['title'],
  } as const
  const api = useApi(dialect, {
    tables,
    resources: {
      articles: ReadOnlyViewSet(settings),
      windows: ReadOnlyViewSet({ ...settings, paginationClass: LimitOffsetPaginationWithFormat }),
    },
  })
  const filters = {
    rating__gte: [WHOLE],
    rating__lte: [WHOLE],
    search: ['Search for at most 8 words.'],
    ordering: ['You cannot order by "rating". Known fields: title.'],
  }
  const BAD = 'rating__gte=x&rating__lte=y&ordering=rating&search=a+b+c+d+e+f+g+h+i'

  test('are told all at once: filters, search, ordering and pages', async () => {
    expectInvalid(await api.get(`/articles/?${BAD}&page_size=0&paginated=maybe`), {
      ...filters,
      paginated: ['Enter true or false.'],
      page_size: [SIZE],
    })
    expectInvalid(await api.get(`/windows/?${BAD}&limit=-1&offset=x`), {
      ...filters,
      limit: [SIZE],
      offset: ['Enter a whole number that is not negative.'],
    })
  })

  test('count more than a page that does not exist', async () => {
    expectError(await api.get('/articles/?page=none'), 404, 'Invalid page. Pages are numbered from 1.')
    expectInvalid(await api.get('/articles/?page=none&rating__gte=x'), {
      rating__gte: [WHOLE],
    })
  })

  test('of pages do not matter to a list without them', async () => {
    allowUndescribed(/takes page_size=x/, 'The document says what a page size is, and not when nobody looks at it.')
    expect((await api.get('/articles/?paginated=false&page_size=x')).status).toBe(200)
  })
})
