import { readXlsx } from 'hucre/xlsx'
import {
  AllowAny,
  ApiError,
  BaseModelSerializer,
  importModel,
  type Message,
  message,
  type OpenApiDocument,
  ValidationError,
} from 'viewset'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { english } from '../../src/core/messages/english.ts'
import { german } from '../../src/core/messages/german.ts'
import { ENGLISH, inLanguage } from '../../src/core/messages/message.ts'
import { type TestResponse, useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { FullViewSet } from '../support/full-viewset.ts'
import { allowUndescribed } from '../support/hold-to-description.ts'
import { ManualQueue } from '../support/manual-queue.ts'
import { MemoryJobFiles } from '../support/memory-job-files.ts'
import { importForm } from '../support/multipart.ts'
import { pdfText } from '../support/pdf-text.ts'

declare module 'viewset' {
  interface AppMessages {
    closed_month: { month: string }
    no_credit: undefined
  }
}

describeOneDialect('the language of messages', dialect => {
  const towns = dialect.kit.table('towns', {
    ...dialect.kit.SoftDeleteMixin(),
    id: dialect.kit.integer().primaryKey(),
    name: dialect.kit.text(10).notNull(),
    population: dialect.kit.integer(),
  })
  const TownViewSet = FullViewSet({
    model: towns,
    serializer: BaseModelSerializer(towns, { fields: ['id', 'name', 'population'] }),
    permissionClasses: [AllowAny],
    upsertFields: ['id'],
    importFileConfig: {
      fileFormat: ['csv', 'xlsx'],
      order: ['towns'],
      models: { towns: importModel({ model: towns, fields: ['id', 'name', 'population'], uniqueFields: ['id'] }) },
    },
    describes: { actions: { pay: { errors: { 402: 'No credit is left.' } } } },
    actions: {
      close: {
        method: 'POST',
        detail: false,
        handler: () => {
          throw new ValidationError({ month: [message('closed_month', { month: 'May' })] })
        },
      },
      pay: {
        method: 'POST',
        detail: false,
        handler: () => {
          throw new ApiError(402, 'payment_required', message('no_credit'))
        },
      },
      rates: {
        method: 'POST',
        detail: false,
        input: z.record(z.string(), z.number()),
        handler: () => null,
      },
      survey: {
        method: 'POST',
        detail: false,
        input: z.object({
          day: z.iso.date(),
          at: z.iso.datetime(),
          time: z.iso.time(),
          host: z.ipv4(),
          since: z.date(),
          large: z.bigint(),
          pair: z.tuple([z.number()]),
          rates: z.record(z.string(), z.number()),
          either: z.union([z.string(), z.number()]),
          even: z.number().refine(value => value % 2 === 0),
          lucky: z.number().refine(value => value === 7, 'Not 7.'),
          options: z.strictObject({ size: z.number().optional(), unit: z.string().optional() }),
        }),
        handler: () => null,
      },
      private: {
        method: 'POST',
        detail: false,
        handler: () => {
          throw new ApiError(400, 'private', message('required'), { headers: { Vary: 'Cookie' } })
        },
      },
      plain: {
        method: 'POST',
        detail: false,
        handler: () => {
          throw new ValidationError({ month: ['This month is closed.'] })
        },
      },
    },
  })
  const messages = {
    en: { closed_month: ({ month }: { month: string }) => `${month} is closed.`, no_credit: 'No credit is left.' },
    de: {
      closed_month: ({ month }: { month: string }) => `${month} ist abgeschlossen.`,
      required: 'Pflichtfeld.',
      blank: 'Pflichtfeld.',
    },
    nl: { required: 'Dit veld is verplicht.' },
    'de-CH': { required: 'Pflichtfeld!' },
  }
  const jobTables = dialect.kit.JobTables()
  const queue = new ManualQueue()
  const api = useApi(dialect, {
    tables: { towns, ...jobTables },
    resources: { towns: TownViewSet },
    settings: { JOBS: { ANONYMOUS: true } },
    jobs: { tables: jobTables, queue, files: new MemoryJobFiles() },
    messages,
    errorCodes: true,
    openapi: true,
  })

  const ask = (path: string, accepted?: string, body: unknown = {}) =>
    api.post(path, body, accepted === undefined ? {} : { headers: { 'accept-language': accepted } })
  const nameOf = (response: TestResponse) => [
    response.headers['content-language'],
    response.envelope().errors?.name?.[0],
  ]
  const ENGLISH = ['en', english.required]
  const GERMAN = ['de', 'Pflichtfeld.']
  const DUTCH = ['nl', 'Dit veld is verplicht.']

  test.each([
    [undefined, ENGLISH],
    ['', ENGLISH],
    ['de', GERMAN],
    ['DE', GERMAN],
    ['de-AT', GERMAN],
    ['de-AT,de;q=0.9,en;q=0.8', GERMAN],
    ['en;q=0.2, de;q=0.3', GERMAN],
    ['de;q=0, en', ENGLISH],
    ['pt, de;q=0.1', GERMAN],
    ['nl-BE', DUTCH],
    ['de-CH', ['de-CH', 'Pflichtfeld!']],
    ['de-ch, de;q=0.5', ['de-CH', 'Pflichtfeld!']],
    ['en;q=0, *', GERMAN],
    ['pt, de; q = 0.1, fr; q=0.05', GERMAN],
    ['pt', ENGLISH],
    ['*', ENGLISH],
    ['*;q=0.1, de', GERMAN],
    [';;;,=', ENGLISH],
    [`${'x'.repeat(5_000)}, de`, ENGLISH],
  ])('Accept-Language %.40s', async (accepted, expected) => {
    expect(nameOf(await ask('/towns/', accepted))).toEqual(expected)
  })

  test('a text that a language lacks is English, and an own text stays as it is', async () => {
    const dutch = await ask('/towns/', 'nl', { id: 1, name: 'a longer name' })
    expect(dutch.envelope().errors).toEqual({ name: [english.max_length({ max: 10 })] })
    expect((await ask('/towns/close/', 'nl')).envelope().message).toBe('May is closed.')
    expect((await ask('/towns/close/', 'fr')).envelope().message).toBe('May is closed.')
    expect((await ask('/towns/plain/', 'de')).envelope().message).toBe('This month is closed.')
  })

  test('messages of the application have translations and codes', async () => {
    const closed = await ask('/towns/close/', 'de')
    expect(closed.envelope()).toMatchObject({
      message: 'May ist abgeschlossen.',
      errors: { month: ['May ist abgeschlossen.'] },
      codes: { month: ['closed_month'] },
    })
    const unpaid = await ask('/towns/pay/', 'en')
    expect(unpaid.envelope().message).toBe('No credit is left.')
    expect(unpaid.envelope()).not.toHaveProperty('codes')
    expect((await ask('/towns/plain/')).envelope().codes).toEqual({ month: ['invalid'] })
  })

  test('a code does not depend on other messages with the same text', async () => {
    for (const [name, code] of [
      [undefined, 'required'],
      ['', 'blank'],
      [undefined, 'required'],
    ] as const) {
      const refused = await ask('/towns/', 'de', { id: 1, name })
      expect(refused.envelope()).toMatchObject({ errors: { name: ['Pflichtfeld.'] }, codes: { name: [code] } })
    }
  })

  test('keys of the client that are names of JavaScript are reported as others are', async () => {
    const refused = await ask('/towns/rates/', 'en', { toString: 'a', constructor: 'b' })
    expect(refused.status).toBe(400)
    expect(refused.envelope().codes).toEqual({ toString: ['invalid_number'], constructor: ['invalid_number'] })
  })

  test("all of Zod's own messages are of the catalogue", async () => {
    const input = { since: 'x', large: 1, pair: 'x', rates: 'x', either: true, even: 1, lucky: 1 }
    const texts = { day: '2026-02-30', at: 'x', time: 'x', host: 'x', options: { toString: 1, size: 1, colour: 2 } }
    const body = { ...input, ...texts }
    const refused = (await ask('/towns/survey/', 'de', body)).envelope()
    expect(refused.codes).toEqual({
      day: ['invalid_date'],
      at: ['invalid_datetime'],
      time: ['invalid_time'],
      host: ['invalid_address'],
      since: ['invalid_date'],
      large: ['invalid_integer'],
      pair: ['not_a_list'],
      rates: ['not_an_object'],
      either: ['invalid'],
      even: ['invalid'],
      lucky: ['invalid'],
      options: ['unknown_field'],
    })
    const known = { names: ['toString', 'colour'], more: 0, known: 'size, unit' }
    expect(refused.errors).toMatchObject({
      either: [german.invalid],
      even: [german.invalid],
      lucky: ['Not 7.'],
      options: [inGerman(message('unknown_field', known))],
    })
  })

  test('the Vary of an error does not replace that of the language', async () => {
    expect((await ask('/towns/private/', 'de')).headers.vary).toBe('Accept-Language, Cookie')
  })

  test('an unknown address, a malformed URL and a body that is not JSON are answered in it as well', async () => {
    const headers = { 'accept-language': 'de', 'content-type': 'application/json' }
    for (const response of [
      await api.get('/nothing/', { headers }),
      await api.get('/towns/%zz/', { headers }),
      await api.request('POST', '/towns/', { payload: '{', headers }),
      await api.request('PUT', '/towns/', { payload: '{}', headers }),
    ]) {
      expect(response.headers).toMatchObject({ 'content-language': 'de', vary: 'Accept-Language' })
      expect(response.envelope().message).not.toMatch(/nothing|malformed|valid JSON|allowed/)
    }
  })

  test('rows of an import have it, with codes, and so has the message', async () => {
    const file = importForm('id,name,population\n1,,5\n2,Oslo,many\n')
    const response = await api.request('POST', '/towns/import-from-file/', {
      ...file,
      headers: { ...file.headers, 'accept-language': 'de' },
    })
    expect(response.status).toBe(207)
    expect(response.headers).toMatchObject({ 'content-language': 'de', vary: 'Accept-Language' })
    const { errors } = response.data<{ errors: readonly { message: string; code?: string }[] }>()
    expect(errors.map(({ code }) => code)).toEqual(['required', 'invalid_integer'])
    for (const { message: text } of errors) expect(text).not.toMatch(/cell|number/)
    expect(response.envelope().message).not.toMatch(/failed/)
  })

  test('the column of errors in a file of failed rows is named in it, and is ignored in any language', async () => {
    const send = (content: string, accepted: string, path: string) => {
      const file = importForm(content)
      return api.request('POST', path, { ...file, headers: { ...file.headers, 'accept-language': accepted } })
    }
    const failed = await send('id,name,population\n1,,\n', 'de', '/towns/import-from-file/?failed_rows=true')
    const [header = '', row = ''] = failed.bytes.toString('utf8').replace('\uFEFF', '').split('\r\n')
    expect(header).toBe('Fehler,id,name,population')
    expect(JSON.parse(String(failed.headers['x-import-result'])).message).not.toMatch(/failed/)
    const mended = await send(`${header}\n${row.replace(',1,,', ',1,Oslo,')}\n`, 'en', '/towns/import-from-file/')
    expect(mended.data()).toMatchObject({ created: 1, failed: 0, ignored_columns: [] })
  })

  test('a template and a PDF have it', async () => {
    const headers = { 'accept-language': 'de' }
    const template = await api.get('/towns/import-template/?file_type=xlsx', { headers })
    const [sheet] = (await readXlsx(template.bytes)).sheets
    const notes = [0, 1, 2].map(column => sheet?.cells?.get(`0,${column}`)?.comment?.text).join(' ')
    expect(notes).toContain(german['template.required'])
    expect(notes).not.toContain(english['template.required'])
    const pdf = await api.post('/towns/export/', { file_type: 'pdf' }, { headers })
    expect(await pdfText(pdf.bytes)).toContain(inGerman(message('pdf.page', { page: '1', pages: '1' })))
  })

  test('a job keeps the language of its request, in its message, its errors and its file', async () => {
    const file = importForm('id,name,population\n1,,5\n')
    const accepted = await api.request('POST', '/towns/import-from-file/?background=true', {
      ...file,
      headers: { ...file.headers, 'accept-language': 'de' },
    })
    const { id } = accepted.data<{ id: string }>()
    await queue.run(id)
    const job = (await api.get(`/jobs/${id}/`)).data<{ message: string; errors: readonly { message: string }[] }>()
    expect(job.message).toBe(inGerman(message('imported.all_failed', { failed: 1, of: 1 })))
    expect(job.errors).toMatchObject([{ message: german['required.cell'], code: 'required' }])
    expect((await api.get(`/jobs/${id}/file/`)).text).toContain(german['failed_rows.errors'])
  })

  test('each endpoint has codes in the shape of its errors', async () => {
    allowUndescribed(/ takes /, 'a bulk action reports keys of another type as missing')
    const { paths } = JSON.parse((await api.get('/openapi.json')).text) as OpenApiDocument
    const requests = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).flatMap(method =>
        [path.replace(/\{\w+\}/g, '1'), `${path.replace(/\{\w+\}/g, '1')}?nme=1`].flatMap(url =>
          [{}, [], [{}], { id: 'x', name: 1 }].map(body => ({ method: method.toUpperCase(), url, body })),
        ),
      ),
    )
    let refused = 0
    for (const { method, url, body } of requests) {
      const { text, status } = await api.request(method as 'POST', url, method === 'GET' ? {} : { body })
      const { errors, codes } = text.startsWith('{') ? JSON.parse(text) : {}
      if (errors === undefined) continue
      refused++
      expect(lengthsOf(codes), `${method} ${url} ${JSON.stringify(body)} ${status}`).toEqual(lengthsOf(errors))
    }
    expect(refused).toBeGreaterThan(50)
  })

  test.each([
    [{ languages: [] }, 'api: languages: is empty'],
    [{ languages: ['english language'] }, 'api: languages: "english language" is not a language tag'],
    [{ languages: ['en', 'sw'] }, 'api: languages: there are no texts in "sw"'],
    [{ messages: { 'en_US ': {} } }, 'api: messages: "en_US " is not a language tag'],
    [
      { messages: { de: { requird: 'x' } } },
      'api: messages: "requird" in "de" is no message; did you mean "required"?',
    ],
    [{ messages: { de: { required: 5 } } }, 'api: messages: "required" in "de" must be a text'],
    [
      { messages: { de: { max_length: 'Bis {max}.' } } },
      'api: messages: "max_length" in "de" has "{max}", which is sent',
    ],
    [
      { messages: { nl: {} }, languages: ['en', 'de-AT'] },
      'api: messages: no language of the API has the texts in "nl"',
    ],
    [{ messages: { de: ['x'] } }, 'api: messages: the texts in "de" must be an object'],
    [{ messages: { de: null } }, 'api: messages: the texts in "de" must be an object'],
    [{ errorCodes: 'yes' }, 'api: errorCodes: must be true or false, not "yes"'],
    [{ languages: 'en' }, 'api: languages: must be a list of language tags'],
  ])('the options %j are refused at start', async (options, problem) => {
    const { createHandler } = await import('viewset/fetch')
    const create = createHandler as (options: object) => unknown
    expect(() => create({ database: api.database, resources: { towns: TownViewSet }, ...options })).toThrow(problem)
  })

  test('a text that fails is English, and no error of the server', async () => {
    const { createHandler } = await import('viewset/fetch')
    const broken = {
      de: {
        'not_found.address': 'x',
        payload_too_large: () => {
          throw new Error('a mistake in a text')
        },
      },
    }
    const options = { database: api.database, resources: { towns: TownViewSet }, languages: ['de'], bodyLimit: 5 }
    const handler = createHandler({ ...options, messages: broken })
    const body = JSON.stringify({ name: 'a long body' })
    const headers = { 'content-type': 'application/json' }
    const response = await handler(new Request('http://localhost/towns/', { method: 'POST', body, headers }))
    expect(response.status).toBe(413)
    expect(await response.json()).toMatchObject({ message: 'The body is too large. The limit is 5 Byte.' })
    await handler.close()
  })

  test('the error itself is English, in the words of the application', () => {
    const thrown = new ValidationError({ name: [message('required')] })
    expect(JSON.parse(JSON.stringify(thrown))).toEqual({
      name: 'ValidationError',
      status: 400,
      code: 'validation_error',
      message: english.required,
      errors: { name: [english.required] },
    })
  })

  test('with one language, all clients get that one', async () => {
    const { createHandler } = await import('viewset/fetch')
    const handler = createHandler({ database: api.database, resources: { towns: TownViewSet }, languages: ['de'] })
    const response = await handler(new Request('http://localhost/nothing/', { headers: { 'accept-language': 'en' } }))
    expect(response.headers.get('content-language')).toBe('de')
    await handler.close()
  })
})

/** The number of entries of each field. */
function lengthsOf(errors: Readonly<Record<string, readonly string[]>> | undefined) {
  return Object.entries(errors ?? {}).map(([field, texts]) => [field, texts.length])
}

function inGerman(text: Message): string {
  return inLanguage({ ...ENGLISH, texts: german }, () => String(text))
}
