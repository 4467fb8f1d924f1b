import { AllowAny, BaseModelSerializer, BaseViewSet } from 'viewset'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectInvalid, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

const DATETIME =
  'Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].'
const DATE = 'Date has wrong format. Use one of these formats instead: YYYY-MM-DD.'
const TOO_LARGE = 'This number is too large.'
const INEXACT = 'This integer is too large to be exact as a number. Send it as a string.'
const tooLong = (n: number) => `Ensure this field has no more than ${n} characters.`

describeDialects('validation', dialect => {
  const tables = models(dialect.kit)
  const permissionClasses = [AllowAny]
  const { ArticleSerializer } = serializers(tables)
  const api = useApi(dialect, {
    tables,
    resources: {
      articles: BaseViewSet({ model: tables.articles, serializer: ArticleSerializer, permissionClasses }),
      refined: BaseViewSet({
        model: tables.articles,
        serializer: BaseModelSerializer(tables.articles, {
          fields: ['title', 'rating', 'price', 'author'],
          writeOnly: ['author'],
          refine: {
            title: z
              .string()
              .min(3)
              .regex(/^[A-Z]/, 'Start with a capital letter.'),
            rating: z.number().min(1).max(5),
          },
        }),
        permissionClasses,
      }),
    },
  })

  /** Sends one value by JSON text, which can say more than JavaScript's values. */
  async function send(field: string, json: string, path = '/articles/') {
    await seed(api.database, tables, { authors: [{ id: uuid(1), name: 'Ada' }] })
    const title = field === 'title' ? '' : '"title":"Control",'
    const payload = `{"author":"${uuid(1)}",${title}"${field}":${json}}`
    return api.post(path, undefined, { payload, headers: { 'content-type': 'application/json' } })
  }

  const refused: Record<string, readonly (readonly [json: string, message: string])[]> = {
    title: [
      ['5', 'Not a valid string.'],
      ['true', 'Not a valid string.'],
      ['["a"]', 'Not a valid string.'],
      ['{"a":1}', 'Not a valid string.'],
      [JSON.stringify('x'.repeat(51)), tooLong(50)],
      [JSON.stringify('😀'.repeat(51)), tooLong(50)],
      ['"a\\u0000b"', 'Null characters are not allowed.'],
      ['"\\ud800"', 'Surrogate characters are not allowed: U+D800.'],
      ['"a\\udc00b"', 'Surrogate characters are not allowed: U+DC00.'],
    ],
    body: [
      ['5', 'Not a valid string.'],
      ['"\\u0000"', 'Null characters are not allowed.'],
      ['"\\udfff"', 'Surrogate characters are not allowed: U+DFFF.'],
    ],
    status: [
      ['"deleted"', '"deleted" is not a valid choice.'],
      ['"Draft"', '"Draft" is not a valid choice.'],
      ['""', '"" is not a valid choice.'],
      ['5', '"5" is not a valid choice.'],
      ['["draft"]', '"["draft"]" is not a valid choice.'],
      [JSON.stringify('x'.repeat(99)), `"${'x'.repeat(50)}..." is not a valid choice.`],
    ],
    rating: [
      ['"5"', 'A valid integer is required.'],
      ['""', 'A valid integer is required.'],
      ['1.5', 'A valid integer is required.'],
      ['true', 'A valid integer is required.'],
      ['[1]', 'A valid integer is required.'],
      ['1e999', TOO_LARGE],
      ['2147483648', 'Ensure this value is less than or equal to 2147483647.'],
      ['-2147483649', 'Ensure this value is greater than or equal to -2147483648.'],
      ['9007199254740993', INEXACT],
    ],
    views: [
      ['"5"', 'A valid integer is required.'],
      ['1.5', 'A valid integer is required.'],
      ['1e999', TOO_LARGE],
      ['"abc"', 'A valid integer is required.'],
      ['9007199254740993', INEXACT],
      ['"9223372036854775808"', 'Ensure this value is less than or equal to 9223372036854775807.'],
      ['"-9223372036854775809"', 'Ensure this value is greater than or equal to -9223372036854775808.'],
      ['"99999999999999999999"', 'A valid integer is required.'],
    ],
    price: [
      ['""', 'A valid number is required.'],
      ['"abc"', 'A valid number is required.'],
      ['"NaN"', 'A valid number is required.'],
      ['"Infinity"', 'A valid number is required.'],
      ['1e999', TOO_LARGE],
      ['"1e6"', 'Ensure that there are no more than 6 digits before the decimal point.'],
      ['" 5"', 'A valid number is required.'],
      ['"5,00"', 'A valid number is required.'],
      ['true', 'A valid number is required.'],
      ['"1.234"', 'Ensure that there are no more than 2 decimal places.'],
      ['1.234', 'Ensure that there are no more than 2 decimal places.'],
      ['"1234567.00"', 'Ensure that there are no more than 6 digits before the decimal point.'],
      ['1234567', 'Ensure that there are no more than 6 digits before the decimal point.'],
    ],
    featured: [
      ['"false"', 'Must be a valid boolean.'],
      ['"true"', 'Must be a valid boolean.'],
      ['0', 'Must be a valid boolean.'],
      ['1', 'Must be a valid boolean.'],
      ['""', 'Must be a valid boolean.'],
    ],
    published_at: [
      ['""', DATETIME],
      ['"yesterday"', DATETIME],
      ['1768473000', DATETIME],
      ['"2026-01-15"', DATETIME],
      ['"2026-02-30T10:00:00Z"', 'The day 2026-02-30 does not exist.'],
      ['"2026-01-15T25:00:00Z"', DATETIME],
      ['"2026-01-15T10:60:00Z"', DATETIME],
      ['"2026-01-15T10:00:00+25:00"', DATETIME],
      ['"9999-12-31T23:59:59-01:00"', DATETIME],
      ['"0000-01-01T00:00:00Z"', DATETIME],
    ],
    released_on: [
      ['""', DATE],
      ['"2026-02-30"', 'The day 2026-02-30 does not exist.'],
      ['"2025-02-29"', 'The day 2025-02-29 does not exist.'],
      ['"2026-13-01"', 'The day 2026-13-01 does not exist.'],
      ['"15.01.2026"', DATE],
      ['"2026-1-5"', DATE],
      ['"2026-01-15T00:00:00Z"', DATE],
      ['20260115', DATE],
      ['"0000-01-01"', DATE],
    ],
    reference: [
      ['""', 'Must be a valid UUID.'],
      ['"abc"', 'Must be a valid UUID.'],
      ['5', 'Must be a valid UUID.'],
      ['"{f47ac10b-58cc-4372-a567-0e02b2c3d479}"', 'Must be a valid UUID.'],
    ],
  }

  for (const [field, cases] of Object.entries(refused)) {
    test.each(cases)(`${field}: %.60s is refused: %s`, async (json, message) => {
      expectInvalid(await send(field, json), { [field]: [message] })
      expect(await api.rows('articles')).toEqual([])
    })
  }

  test.each([
    ['"\\u0000"', 'metadata', 'Null characters are not allowed.'],
    ['{"a":["x","\\u0000"]}', 'metadata.a.1', 'Null characters are not allowed.'],
    ['{"a":"\\ud800"}', 'metadata.a', 'Surrogate characters are not allowed: U+D800.'],
    ['[1e999]', 'metadata.0', TOO_LARGE],
    ['[1,{"id":9007199254740993}]', 'metadata.1.id', INEXACT],
    ['{"a":1,"a":2}', 'metadata.a', 'This key is given more than once.'],
  ])('metadata: %s would not be kept as it is and is refused at %s', async (json, path, message) => {
    expectInvalid(await send('metadata', json), { [path]: [message] })
    expect(await api.rows('articles')).toEqual([])
  })

  const taken: Record<string, readonly (readonly [json: string, shown: unknown])[]> = {
    title: [
      [JSON.stringify('x'.repeat(50)), 'x'.repeat(50)],
      [JSON.stringify('😀'.repeat(50)), '😀'.repeat(50)],
      ['"\\ud83d\\ude00"', '😀'],
      [`"'; drop table articles; --"`, `'; drop table articles; --`],
      ['"Zeile 1\\nZeile 2\\t\\"quoted\\" \\\\ \\u001f"', 'Zeile 1\nZeile 2\t"quoted" \\ \u001f'],
      ['" blanks around it go "', 'blanks around it go'],
    ],
    body: [
      ['null', null],
      [JSON.stringify(' long'.repeat(10_000)), ' long'.repeat(10_000).trim()],
    ],
    rating: [
      ['0', 0],
      ['-0', 0],
      ['5.0', 5],
      ['1e2', 100],
      ['2147483647', 2147483647],
      ['-2147483648', -2147483648],
      ['null', null],
    ],
    featured: [
      ['true', true],
      ['false', false],
    ],
    status: [['"published"', 'published']],
    reference: [
      ['"F47AC10B-58CC-4372-A567-0E02B2C3D479"', 'f47ac10b-58cc-4372-a567-0e02b2c3d479'],
      ['null', null],
    ],
    released_on: [
      ['"2024-02-29"', '2024-02-29'],
      ['"0001-01-01"', '0001-01-01'],
      ['"9999-12-31"', '9999-12-31'],
      ['null', null],
    ],
  }

  for (const [field, cases] of Object.entries(taken)) {
    test.each(cases)(`${field}: %.60s is stored and shown`, async (json, shown) => {
      const created = await send(field, json)
      expect(created.status).toBe(201)
      expect(created.data()[field]).toBe(shown)
      const [listed] = (await api.get('/articles/')).data<Record<string, unknown>[]>()
      expect(listed?.[field]).toBe(shown)
    })
  }

  describe('a refinement', () => {
    test.each([
      ['title', '"Ab"', ['Ensure this field has at least 3 characters.']],
      ['title', '"a"', ['Ensure this field has at least 3 characters.', 'Start with a capital letter.']],
      ['rating', '0', ['Ensure this value is greater than or equal to 1.']],
      ['rating', '6', ['Ensure this value is less than or equal to 5.']],
      ['rating', '"3"', ['A valid integer is required.']],
    ])('%s: %s', async (field, json, messages) => {
      expectInvalid(await send(field, json, '/refined/'), { [field]: messages })
    })

    test('is not asked about null', async () => {
      await seed(api.database, tables, {
        authors: [{ id: uuid(1), name: 'Ada' }],
        articles: [{ id: uuid(11), title: 'Abc', rating: 3, author: uuid(1) }],
      })
      const response = await api.patch('/refined/', { rating: null })
      expect(response.status).toBe(405)
      const { data } = JSON.parse((await api.get('/refined/')).text) as { data: object[] }
      expect(data).toEqual([{ title: 'Abc', rating: 3, price: null, index: 1 }])
    })
  })

  test("tells all fields' errors at once, in the order of the serializer", async () => {
    const response = await api.post('/articles/', { released_on: 'x', title: 5, rating: '1', price: '' })
    expectInvalid(response, {
      title: ['Not a valid string.'],
      author: ['This field is required.'],
      price: ['A valid number is required.'],
      rating: ['A valid integer is required.'],
      released_on: [DATE],
    })
  })
})
