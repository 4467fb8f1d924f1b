import { AllowAny, ConfigError, ReadOnlyViewSet, SearchFilter } from 'viewset'
import { describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects, sqliteDialect } from '../support/dialects.ts'
import { expectBadParameter, expectSuccess, uuid } from '../support/expect.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

class ShortSearch extends SearchFilter {
  override readonly searchParam = 'q'
  override readonly maxTerms = 2
}

describeDialects('search', dialect => {
  const tables = models(dialect.kit)
  const { articles } = tables
  const common = {
    model: articles,
    serializer: serializers(tables).TitleSerializer,
    permissionClasses: [AllowAny],
  } as const
  const api = useApi(dialect, {
    tables,
    resources: {
      articles: ReadOnlyViewSet({ ...common, searchFields: ['title', 'body', 'author__name', 'editor__name'] }),
      titles: ReadOnlyViewSet({ ...common, searchFields: ['title'] }),
      states: ReadOnlyViewSet({ ...common, searchFields: ['status'] }),
      none: ReadOnlyViewSet(common),
      short: ReadOnlyViewSet({ ...common, searchFields: ['title'], filterBackends: [ShortSearch] }),
    },
  })
  const seedArticles = () =>
    seed(api.database, tables, {
      authors: [
        { id: uuid(1), name: 'Ada' },
        { id: uuid(2), name: 'Émile Żuk' },
      ],
      articles: [
        { id: uuid(11), title: 'São Paulo', body: 'ÄPFEL', author: uuid(1) },
        { id: uuid(12), title: '100% real_thing', author: uuid(1), editor: uuid(2) },
        { id: uuid(13), title: 'Привет МИР', body: 'back\\slash "quoted"', author: uuid(2), status: 'published' },
      ],
    })
  const found = async (path: string) =>
    (await api.get(path)).data<{ id: string }[]>().map(({ id }) => Number(id.slice(-12)))

  test.each([
    ['paulo', [11]],
    ['PAULO são', [11]],
    ['SÃO', [11]],
    ['sao', []],
    ['äpfel', [11]],
    ['мир', [13]],
    ['ПРИВЕТ', [13]],
    ['émile', [12, 13]],
    ['żUK', [12, 13]],
    ['ada', [11, 12]],
    ['ada real', [12]],
    ['ada мир', []],
    ['%', [12]],
    ['_', [12]],
    ['0%', [12]],
    ['\\', [13]],
    ['"quoted"', [13]],
    ["' or '1'='1", []],
    ['a a a a a a a a a a A', [11, 12, 13]],
    ['"são paulo"', [11]],
    ['"PAULO SÃO"', []],
    ['são,paulo', [11]],
    [', paulo ,, são,', [11]],
    ['"real_thing" ada', [12]],
    ['"slash ""quoted', []],
    ['"slash "quoted', []],
    ['slash "quoted', [13]],
    ['"\\slash ', []],
    ['"back\\slash"', [13]],
    ['"100% real" émile', [12]],
    ['"" "  " ada', [11, 12]],
    ['"a,b"', []],
    ['  ', [11, 12, 13]],
    ['', [11, 12, 13]],
    ['\u00a0paulo\u3000são\t', [11]],
  ])('%s', async (term, expected) => {
    allowUndescribed(/takes search=a a a/, 'What comes twice counts once, which no schema can say.')
    await seedArticles()
    expect(await found(`/articles/?search=${encodeURIComponent(term)}`)).toEqual(expected)
  })

  test('looks into the declared fields only', async () => {
    await seedArticles()
    expect(await found('/titles/?search=ada')).toEqual([])
    expect(await found('/titles/?search=paulo')).toEqual([11])
  })

  test('into a choice as into any text', async () => {
    await seedArticles()
    expect(await found('/states/?search=PUBLI')).toEqual([13])
  })

  test('counts what it finds, with a statement for the count and one for the page', async () => {
    await seedArticles()
    const statements = await api.statementsOf(async () => {
      expectSuccess(await api.get('/articles/?search=ada&page_size=1'), 200, {
        count: 2,
        next: 'http://localhost:80/api/articles/?search=ada&page_size=1&page=2',
        data: [{ id: uuid(11), title: 'São Paulo', author: uuid(1), rating: null, index: 1 }],
      })
    })
    expect(statements).toHaveLength(2)
  })

  test('without searchFields it is refused', async () => {
    expect((await api.get('/none/?search=paulo')).status).toBe(400)
  })

  test('the text is only ever a value: other words make no other statement', async () => {
    const one = await api.statementsOf(() => api.get('/articles/?search=a'))
    const other = await api.statementsOf(() => api.get(`/articles/?search=${encodeURIComponent("';drop")}`))
    expect(other).toEqual(one)
  })

  test('is bounded in words and characters', async () => {
    const words = Array.from({ length: 9 }, (_, i) => `w${i}`).join('+')
    const phrase = encodeURIComponent(`a b c d e f g "${words.replaceAll('+', ' ')}"`)
    expect((await api.get(`/articles/?search=${phrase}`)).status).toBe(200)
    const commas = words.replaceAll('+', ',')
    expectBadParameter(await api.get(`/articles/?search=${commas}`), 'search', 'Search for at most 8 words.')
    expectBadParameter(await api.get(`/articles/?search=${words}`), 'search', 'Search for at most 8 words.')
    expectBadParameter(
      await api.get(`/articles/?search=${'x'.repeat(201)}`),
      'search',
      'Search for at most 200 characters.',
    )
    expect(await api.statementsOf(() => api.get(`/articles/?search=${words}`))).toEqual([])
  })

  test('two parameters are refused', async () => {
    expectBadParameter(await api.get('/articles/?search=a&search=b'), 'search', 'Give this parameter once.')
  })

  test('a subclass changes the parameter and the bounds', async () => {
    await seedArticles()
    expect(await found('/short/?q=paulo')).toEqual([11])
    expectBadParameter(await api.get('/short/?q=a+b+c'), 'q', 'Search for at most 2 words.')
  })
})

describe('a wrong declaration stops the start', () => {
  const tables = models(sqliteDialect.kit)
  const common = {
    model: tables.articles,
    serializer: serializers(tables).TitleSerializer,
    permissionClasses: [AllowAny],
  } as const

  test.each([
    ['titel', 'unknown field "titel"; did you mean "title"?'],
    ['rating', '"rating" is of type integer; only text can be searched'],
    ['author__createdAt', '"author__createdAt" is of type timestamp; only text can be searched'],
  ])('%s', (field, problem) => {
    const declare = () => ReadOnlyViewSet({ ...common, searchFields: [field as never] })
    expect(declare).toThrow(ConfigError)
    expect(declare).toThrow(problem)
  })
})
