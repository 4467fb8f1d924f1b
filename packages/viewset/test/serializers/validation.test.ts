import { AllowAny, BaseModelSerializer, BaseViewSet } from 'viewset'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectInvalid, uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'
import { notANumber, notAText, notAWholeNumber } from '../support/texts.ts'

const DATETIME = 'is not a date and time. Write it like 2026-01-15T10:30:00Z.'
const DATE = 'is not a date. Write it like 2026-01-15.'
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
      ['5', '5 is not a text. Send a text in quotes.'],
      ['true', 'true is not a text. Send a text in quotes.'],
      ['["a"]', '["a"] is not a text. Send a text in quotes.'],
      ['{"a":1}', '{"a":1} is not a text. Send a text in quotes.'],
      [JSON.stringify('x'.repeat(51)), tooLong(50)],
      [JSON.stringify('😀'.repeat(51)), tooLong(50)],
      ['"a\\u0000b"', 'NUL characters are not allowed.'],
      ['"\\ud800"', 'Surrogate characters are not allowed: U+D800.'],
      ['"a\\udc00b"', 'Surrogate characters are not allowed: U+DC00.'],
    ],
    body: [
      ['5', '5 is not a text. Send a text in quotes.'],
      ['"\\u0000"', 'NUL characters are not allowed.'],
      ['"\\udfff"', 'Surrogate characters are not allowed: U+DFFF.'],
    ],
    status: [
      ['"deleted"', '"deleted" is not a valid choice. Choose one of: draft, published.'],
      ['"Draft"', '"Draft" is not a valid choice. Choose one of: draft, published.'],
      ['""', '"" is not a valid choice. Choose one of: draft, published.'],
      ['5', '5 is not a valid choice. Choose one of: draft, published.'],
      ['["draft"]', '["draft"] is not a valid choice. Choose one of: draft, published.'],
      [
        JSON.stringify('x'.repeat(99)),
        `"${'x'.repeat(49)}..." is not a valid choice. Choose one of: draft, published.`,
      ],
    ],
    rating: [
      ['"5"', '"5" is in quotes. Send the number without quotes.'],
      ['""', '"" is not a whole number. Write it like 42.'],
      ['1.5', '1.5 is not a whole number. Write it like 42.'],
      ['true', 'true is not a whole number. Write it like 42.'],
      ['[1]', '[1] is not a whole number. Write it like 42.'],
      ['1e999', TOO_LARGE],
      ['2147483648', 'Ensure this value is less than or equal to 2147483647.'],
      ['-2147483649', 'Ensure this value is greater than or equal to -2147483648.'],
      ['9007199254740993', INEXACT],
    ],
    views: [
      ['"5"', '"5" is in quotes. Send the number without quotes.'],
      ['1.5', '1.5 is not a whole number. Write it like 42.'],
      ['1e999', TOO_LARGE],
      ['"abc"', '"abc" is not a whole number. Write it like 42.'],
      ['9007199254740993', INEXACT],
      ['"9223372036854775808"', 'Ensure this value is less than or equal to 9223372036854775807.'],
      ['"-9223372036854775809"', 'Ensure this value is greater than or equal to -9223372036854775808.'],
      ['"99999999999999999999"', '"99999999999999999999" is not a whole number. Write it like 42.'],
    ],
    price: [
      ['""', '"" is not a number. Write it like 90.5.'],
      ['"abc"', '"abc" is not a number. Write it like 90.5.'],
      ['"NaN"', '"NaN" is not a number. Write it like 90.5.'],
      ['"Infinity"', '"Infinity" is not a number. Write it like 90.5.'],
      ['1e999', TOO_LARGE],
      ['"1e6"', 'Ensure that there are no more than 6 digits before the decimal point.'],
      ['" 5"', '" 5" is not a number. Write it like 90.5.'],
      ['"5,00"', '"5,00" is not a number. Write it like 90.5.'],
      ['true', 'true is not a number. Write it like 90.5.'],
      ['"1.234"', 'Ensure that there are no more than 2 decimal places.'],
      ['1.234', 'Ensure that there are no more than 2 decimal places.'],
      ['"1234567.00"', 'Ensure that there are no more than 6 digits before the decimal point.'],
      ['1234567', 'Ensure that there are no more than 6 digits before the decimal point.'],
    ],
    featured: [
      ['"false"', '"false" is neither true nor false. Send true or false, without quotes.'],
      ['"true"', '"true" is neither true nor false. Send true or false, without quotes.'],
      ['0', '0 is neither true nor false. Send true or false, without quotes.'],
      ['1', '1 is neither true nor false. Send true or false, without quotes.'],
      ['""', '"" is neither true nor false. Send true or false, without quotes.'],
    ],
    published_at: [
      ['""', `"" ${DATETIME}`],
      ['"yesterday"', `"yesterday" ${DATETIME}`],
      ['1768473000', `1768473000 ${DATETIME}`],
      ['"2026-01-15"', `"2026-01-15" ${DATETIME}`],
      ['"2026-02-30T10:00:00Z"', 'The day 2026-02-30 does not exist.'],
      ['"2026-01-15T25:00:00Z"', `"2026-01-15T25:00:00Z" ${DATETIME}`],
      ['"2026-01-15T10:60:00Z"', `"2026-01-15T10:60:00Z" ${DATETIME}`],
      ['"2026-01-15T10:00:00+25:00"', `"2026-01-15T10:00:00+25:00" ${DATETIME}`],
      ['"9999-12-31T23:59:59-01:00"', `"9999-12-31T23:59:59-01:00" ${DATETIME}`],
      ['"0000-01-01T00:00:00Z"', `"0000-01-01T00:00:00Z" ${DATETIME}`],
    ],
    released_on: [
      ['""', `"" ${DATE}`],
      ['"2026-02-30"', 'The day 2026-02-30 does not exist.'],
      ['"2025-02-29"', 'The day 2025-02-29 does not exist.'],
      ['"2026-13-01"', 'The day 2026-13-01 does not exist.'],
      ['"15.01.2026"', `"15.01.2026" ${DATE}`],
      ['"2026-1-5"', `"2026-1-5" ${DATE}`],
      ['"2026-01-15T00:00:00Z"', `"2026-01-15T00:00:00Z" ${DATE}`],
      ['20260115', `20260115 ${DATE}`],
      ['"0000-01-01"', `"0000-01-01" ${DATE}`],
    ],
    reference: [
      ['""', '"" is not a UUID. Write it like 7b3f1c5e-4a52-4f0e-9d7b-3f9f0f6f2a11.'],
      ['"abc"', '"abc" is not a UUID. Write it like 7b3f1c5e-4a52-4f0e-9d7b-3f9f0f6f2a11.'],
      ['5', '5 is not a UUID. Write it like 7b3f1c5e-4a52-4f0e-9d7b-3f9f0f6f2a11.'],
      [
        '"{f47ac10b-58cc-4372-a567-0e02b2c3d479}"',
        '"{f47ac10b-58cc-4372-a567-0e02b2c3d479}" is not a UUID. Write it like 7b3f1c5e-4a52-4f0e-9d7b-3f9f0f6f2a11.',
      ],
    ],
  }

  for (const [field, cases] of Object.entries(refused)) {
    test.each(cases)(`${field}: %.60s is refused: %s`, async (json, message) => {
      expectInvalid(await send(field, json), { [field]: [message] })
      expect(await api.rows('articles')).toEqual([])
    })
  }

  test.each([
    ['"\\u0000"', 'metadata', 'NUL characters are not allowed.'],
    ['{"a":["x","\\u0000"]}', 'metadata.a.1', 'NUL characters are not allowed.'],
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
      ['rating', '"3"', ['"3" is in quotes. Send the number without quotes.']],
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
      title: [notAText(5)],
      author: ['This field is required.'],
      price: [notANumber('')],
      rating: [notAWholeNumber('1')],
      released_on: [`"x" ${DATE}`],
    })
  })
})
