import {
  AllowAny,
  BaseModelSerializer,
  BulkViewSet,
  drfTexts,
  IdToStrField,
  insertMany,
  ManyIdOnlyField,
  StrOnlyField,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { english } from '../../src/core/messages/english.ts'
import { useApi } from '../support/api.ts'
import { describeOneDialect } from '../support/dialects.ts'

const DATE = 'Date has wrong format. Use one of these formats instead: YYYY-MM-DD.'
const FORMAT = 'YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]'

describeOneDialect('the sentences of Django REST framework, if an API takes drfTexts', dialect => {
  const c = dialect.kit
  const tags = c.table('tags', { id: c.integer().primaryKey(), label: c.text(10).notNull() })
  const towns = c.table(
    'towns',
    {
      id: c.integer().primaryKey(),
      name: c.text(5).notNull(),
      code: c.text(5).unique(),
      size: c.integer(),
      area: c.decimal(5, 2),
      open: c.boolean(),
      key: c.uuid(),
      kind: c.enumeration(['a', 'b']),
      day: c.date(),
      moment: c.timestamp(),
      clock: c.time(),
      words: c.array(c.text(5)),
      mail: c.text(30),
      tag: c.foreignKey(tags),
      word: c.foreignKey(tags),
    },
    t => [c.unique(t.name, t.size)],
  )
  const townTags = c.table('town_tags', {
    id: c.integer().primaryKey(),
    town: c.foreignKey(towns).notNull(),
    tag: c.foreignKey(tags).notNull(),
  })
  const Town = BaseModelSerializer(towns, {
    fields: ['id', 'name', 'code', 'size', 'area', 'open', 'key', 'kind', 'day', 'moment', 'clock', 'words', 'mail'],
    refine: { mail: z.email() },
    extra: {
      tag: IdToStrField({ queryset: tags, str: 'label' }),
      word: StrOnlyField({ queryset: tags, str: 'label' }),
      tags: ManyIdOnlyField({ queryset: tags, through: townTags }),
    },
  })
  const config = { model: towns, serializer: Town, permissionClasses: [AllowAny] } as const
  const tables = { tags, towns, townTags }
  const api = useApi(dialect, {
    tables,
    resources: { towns: BulkViewSet(config) },
    messages: drfTexts,
  })
  const plain = useApi(dialect, { tables, resources: { towns: BulkViewSet(config) } })
  beforeEach(() => api.database.transaction(() => insertMany(towns, [{ id: 1, name: 'Oslo', code: 'osl', size: 5 }])))

  test.each<[body: object, field: string, text: string]>([
    [{}, 'name', 'This field is required.'],
    [{ nmae: 'x' }, 'name', 'This field is required.'],
    [{ name: null }, 'name', 'This field may not be null.'],
    [{ name: ' ' }, 'name', 'This field may not be blank.'],
    [{ name: 5 }, 'name', 'Not a valid string.'],
    [{ name: 'Trondheim' }, 'name', 'Ensure this field has no more than 5 characters.'],
    [{ size: 'many' }, 'size', 'A valid integer is required.'],
    [{ size: 2 ** 31 }, 'size', 'Ensure this value is less than or equal to 2147483647.'],
    [{ area: 'x' }, 'area', 'A valid number is required.'],
    [{ area: '1.234' }, 'area', 'Ensure that there are no more than 2 decimal places.'],
    [{ area: '1234.5' }, 'area', 'Ensure that there are no more than 3 digits before the decimal point.'],
    [{ open: 'x' }, 'open', 'Must be a valid boolean.'],
    [{ key: 'x' }, 'key', 'Must be a valid UUID.'],
    [{ kind: 'c' }, 'kind', '"c" is not a valid choice.'],
    [{ kind: 5 }, 'kind', '"5" is not a valid choice.'],
    [{ day: 'x' }, 'day', DATE],
    [{ day: '2026-02-30' }, 'day', DATE],
    [{ moment: 'x' }, 'moment', `Datetime has wrong format. Use one of these formats instead: ${FORMAT}.`],
    [{ clock: 'x' }, 'clock', 'Time has wrong format. Use one of these formats instead: hh:mm[:ss[.uuuuuu]].'],
    [{ words: 'x' }, 'words', 'Expected a list of items but got type "str".'],
    [{ words: {} }, 'words', 'Expected a list of items but got type "dict".'],
    [{ mail: 'x' }, 'mail', 'Enter a valid email address.'],
    [{ code: 'osl' }, 'code', 'This field must be unique.'],
    [{ name: 'Oslo', size: 5 }, 'non_field_errors', 'The fields name, size must make a unique set.'],
    [{ tag: 99 }, 'tag', 'Invalid pk "99" - object does not exist.'],
    [{ tag: 'x' }, 'tag', 'Incorrect type. Expected pk value, received str.'],
    [{ tag: { id: 1 } }, 'tag', 'Incorrect type. Expected pk value, received dict.'],
    [{ tags: [98, 99] }, 'tags', 'Invalid pk "98" - object does not exist.'],
    [{ word: 'none' }, 'word', 'Object with label=none does not exist.'],
  ])('%j: %s: %s', async (body, field, text) => {
    const given = 'name' in body || field === 'name' ? body : { name: 'Moss', ...body }
    const response = await api.post('/towns/', given)
    expect([response.status, response.envelope().errors?.[field]]).toEqual([400, [text]])
  })

  test.each<[method: 'GET' | 'POST' | 'PUT', path: string, body: unknown, status: number, text: string]>([
    ['GET', '/towns/9/', undefined, 404, 'Not found.'],
    ['GET', '/nothing/', undefined, 404, 'Not found.'],
    ['GET', '/towns/?page=9', undefined, 404, 'Invalid page.'],
    ['PUT', '/towns/', {}, 405, 'Method "PUT" not allowed.'],
    ['POST', '/towns/', [], 400, 'Invalid data. Expected a dictionary, but got list.'],
    ['POST', '/towns/bulk-create/', {}, 400, 'Expected a list of items but got type "dict".'],
    ['POST', '/towns/bulk-create/', [], 400, 'This list may not be empty.'],
  ])('%s %s %j: %i %s', async (method, path, body, status, text) => {
    const answer = await api.request(method, path, { body })
    expect([answer.status, answer.envelope().message]).toEqual([status, text])
  })

  test('are for English only, and are not those of another API in the process', async () => {
    const german = await api.post('/towns/', { name: null }, { headers: { 'accept-language': 'de' } })
    expect(german.envelope().errors?.name).not.toEqual(['This field may not be null.'])
    const own = await plain.post('/towns/', { name: null })
    expect(own.envelope().errors?.name).toEqual([english.null])
  })

  describe('each replaces a message that Viewset has', () => {
    test.each(Object.keys(drfTexts.en))('%s', name => {
      expect(Object.keys(english)).toContain(name)
    })
  })
})
