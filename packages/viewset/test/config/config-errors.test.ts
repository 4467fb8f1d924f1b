import { json, pgTable } from 'drizzle-orm/pg-core'
import { sqliteTable, text as sqliteText } from 'drizzle-orm/sqlite-core'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  CreateModelMixin,
  CursorPagination,
  compose,
  IdToDataField,
  LimitOffsetPaginationWithFormat,
  ReadOnlyViewSet,
  StandardPageNumberPagination,
  WindowPagination,
} from 'viewset'
import { kit as pgKit } from 'viewset/pg'
import { kit } from 'viewset/sqlite'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { models } from '../support/models.ts'
import { problemOf } from '../support/problem.ts'
import { serializers } from '../support/serializers.ts'

const tables = models(kit)
const { authors, articles, categories } = tables
const { AuthorReference, CategorySerializer } = serializers(tables)
const common = { model: authors, serializer: AuthorReference, permissionClasses: [AllowAny] }

const base = (config: object) => problemOf(() => BaseViewSet({ ...common, ...config } as never))
const readOnly = (config: object) => problemOf(() => ReadOnlyViewSet({ ...common, ...config } as never))
const serializer = (config: object, model: object = authors) =>
  problemOf(() => BaseModelSerializer(model as never, config as never))

/** A pagination class with other sizes. */
const pagesOf = (pages: new () => object, sizes: object) =>
  class extends pages {
    constructor() {
      super()
      Object.assign(this, sizes)
    }
  }

describe('a resource refuses', () => {
  const resource = 'resource of "authors"'

  test.each<[setting: string, problem: string]>([
    ['appendIndexs', 'unknown setting; did you mean "appendIndexes"?'],
    ['permissionclasses', 'unknown setting; did you mean "permissionClasses"?'],
    ['serializer_class', 'unknown setting; did you mean "serializer"?'],
    ['orderingField', 'unknown setting; did you mean "orderingFields"?'],
  ])('an unknown setting "%s"', (setting, problem) => {
    expect(base({ [setting]: true })).toBe(`${resource}: ${setting}: ${problem}`)
  })

  test('an unknown setting like no other, listing those that there are', () => {
    const problem = readOnly({ xyzzyplugh: true })
    expect(problem).toContain(`${resource}: xyzzyplugh: unknown setting; known: "model", "serializer", "serializers"`)
    expect(problem).toContain('"paginationClass"')
    expect(problem).not.toContain('"returnDataOnCreate"')
  })

  test.each<[describes: object, problem: string]>([
    [{ lable: 'Authors' }, 'describes: lable: unknown option; did you mean "label"?'],
    [{ description: 5 }, 'describes: description: must be a text'],
    [{ actions: [] }, 'describes: actions: must be an object'],
    [
      { actions: { list: { sumary: 'All.' } } },
      'describes.actions.list: sumary: unknown option; did you mean "summary"?',
    ],
    [
      { actions: { list: { errors: { tooMany: 'Wait.' } } } },
      "describes.actions.list: errors: must say what statuses from 400 to 599 mean, as in { 429: 'Too many requests.' }",
    ],
  ])('a description that nobody reads: %j', (describes, problem) => {
    expect(base({ describes })).toBe(`${resource}: ${problem}`)
  })

  test('what a custom action says or takes in vain', () => {
    const touch = { method: 'GET', detail: false, handler: () => null }
    expect(base({ actions: { touch: { ...touch, describes: { filetypes: [] } } } })).toBe(
      `${resource}: actions.touch.describes: filetypes: unknown option; did you mean "fileTypes"?`,
    )
    expect(base({ actions: { touch: { ...touch, input: z.object({}) } } })).toBe(
      `${resource}: actions.touch: input is the body, which a GET request has none of; read view.query instead`,
    )
  })

  test.each([
    ['returnDataOnCreate', 'CreateModelMixin or BulkCreateModelMixin'],
    ['returnDataOnUpdate', 'UpdateModelMixin or BulkUpdateModelMixin'],
    ['destroyStatus', 'DestroyModelMixin'],
  ])('the setting %s without %s', (setting, mixin) => {
    expect(readOnly({ [setting]: false })).toBe(
      `${resource}: ${setting}: needs ${mixin}, which this viewset does not include`,
    )
  })

  test('a field that the position in a list would hide', () => {
    const indexed = BaseModelSerializer(authors, { fields: ['name'], extra: { index: () => 7 } })
    const problem =
      `${resource}: appendIndexes: the serializer has a field "index", which the position in a list would hide; ` +
      'name it otherwise, or set appendIndexes: false'
    expect(readOnly({ serializer: indexed })).toBe(problem)
    expect(() => ReadOnlyViewSet({ ...common, serializer: indexed, appendIndexes: false })).not.toThrow()
    expect(() => compose(CreateModelMixin)({ ...common, serializer: indexed })).not.toThrow()
  })

  test.each([
    ['ordering', 'ListModelMixin or FileExportMixin'],
    ['orderingFields', 'ListModelMixin or FileExportMixin'],
    ['appendIndexes', 'ListModelMixin'],
    ['paginationClass', 'ListModelMixin'],
  ])('the setting %s without %s', (setting, owner) => {
    const problem = problemOf(() => compose(CreateModelMixin)({ ...common, [setting]: null } as never))
    expect(problem).toBe(`${resource}: ${setting}: needs ${owner}, which this viewset does not include`)
  })

  test('missing or empty permission classes', () => {
    const problem = `${resource}: permissionClasses: is required; say [AllowAny] if everyone may use the resource`
    for (const permissionClasses of [undefined, null, []]) expect(base({ permissionClasses })).toBe(problem)
    expect(base({ permissionClasses: AllowAny })).toBe(
      `${resource}: permissionClasses: must be a list: put the permission in brackets, as in [IsAuthenticated]`,
    )
    const { permissionClasses: _, ...without } = common
    expect(problemOf(() => BaseViewSet(without as never))).toBe(problem)
  })

  const NO_PERMISSIONS =
    'must be a list of permissions: objects or classes with hasPermission, or functions of the view'
  const NO_PAGES =
    'must be a class that extends Pagination, such as CursorPagination, an object of one, or null for no pages'

  test.each<[setting: string, value: unknown, problem: string]>([
    ['permissionClasses', [AllowAny, undefined], `${NO_PERMISSIONS}; item 2 is undefined`],
    ['permissionClasses', ['AllowAny'], `${NO_PERMISSIONS}; item 1 is the text "AllowAny"`],
    ['permissionClasses', [class IsOwner {}], `${NO_PERMISSIONS}; item 1 is the class IsOwner without hasPermission`],
    ['exportPermissionClasses', AllowAny, `${NO_PERMISSIONS}; put the permission in brackets, as in [IsAuthenticated]`],
    ['queryset', { id: 1 }, 'must be a function that returns a condition'],
    ['appendIndexes', 'no', 'must be true or false, not "no"'],
    ['returnDataOnCreate', 0, 'must be true or false, not 0'],
    ['destroyStatus', 202, 'must be 200 or 204, not 202'],
    ['allowUnpaginated', 'admin', 'must be true, false or a permission'],
    ['paginationClass', {}, NO_PAGES],
    ['paginationClass', false, NO_PAGES],
    ['paginationClass', class Pages {}, NO_PAGES],
    ['paginationClass', WindowPagination, 'is not whole: it needs queryParameters and paginate'],
    ['paginationClass', pagesOf(CursorPagination, { pageSize: 0 }), 'pageSize must be a whole number above 0, not 0'],
    [
      'paginationClass',
      pagesOf(StandardPageNumberPagination, { maxPageSize: 2.5 }),
      'maxPageSize must be a whole number above 0, not 2.5',
    ],
    [
      'paginationClass',
      pagesOf(LimitOffsetPaginationWithFormat, { defaultLimit: -1 }),
      'defaultLimit must be a whole number above 0, not -1',
    ],
    ['filterBackends', null, 'must be a list'],
    ['filterFields', null, 'must not be null'],
    ['paginationClass', () => new StandardPageNumberPagination(), NO_PAGES],
    ['ordering', 5, 'must be a name or a list of names'],
    ['orderingFields', 'name', 'must be a list: ["name"]'],
    ['searchFields', 'name', 'must be a list: ["name"]'],
  ])('%s: %o', (setting, value, problem) => {
    expect(base({ [setting]: value })).toBe(`${resource}: ${setting}: ${problem}`)
  })

  test.each<[defaults: object, problem: string]>([
    [{ permissionClasses: [AllowAny] }, 'permissionClasses: is for each resource to say'],
    [{ destroyStaus: 200 }, 'destroyStaus: unknown setting; did you mean "destroyStatus"?'],
    [{ destroyStatus: 404 }, 'destroyStatus: must be 200 or 204, not 404'],
  ])('the default %o', (defaults, problem) => {
    expect(problemOf(() => BaseViewSet.with(defaults as never))).toBe(`defaults of a viewset: ${problem}`)
  })

  test('what is no mixin', () => {
    for (const [mixin, found] of [
      [undefined, 'undefined; if two files import each other, move what both need into a third one'],
      [BaseViewSet, 'a function'],
      [{}, 'an object'],
    ] as const) {
      const takes = 'compose: mixins: takes mixins only, such as ListModelMixin, or what defineMixin returns'
      expect(problemOf(() => BaseViewSet.add(mixin as never))).toContain(found)
      expect(problemOf(() => compose(CreateModelMixin, mixin as never))).toBe(`${takes}; argument 2 is ${found}`)
    }
  })

  test('the serializer of another model, or none', () => {
    const remedy = 'make it with BaseModelSerializer(model, ...)'
    for (const [other, problem] of [
      [CategorySerializer, `is a serializer of "categories", not of the resource's model; ${remedy}`],
      [undefined, `is undefined; ${remedy}; if two files import each other, move what both need into a third one`],
      [{}, `is not a serializer of the resource's model; ${remedy}`],
      [authors, `is not a serializer of the resource's model; ${remedy}`],
    ] as const) {
      expect(base({ serializer: other })).toBe(`${resource}: serializer: ${problem}`)
    }
  })

  test('serializers of another model, or without that of the resource', () => {
    const { serializer } = common
    expect(base({ serializers: [serializer, CategorySerializer] })).toBe(
      `${resource}: serializers: must be serializers of the resource's model`,
    )
    expect(base({ serializers: [] })).toBe(`${resource}: serializers: must include the serializer of the resource`)
    expect(base({ serializers: serializer })).toBe(`${resource}: serializers: must be a list`)
    expect(() => BaseViewSet({ ...common, serializers: [serializer] })).not.toThrow()
  })

  test('no model, or something else', () => {
    expect(base({ model: undefined })).toBe('resource: model: is required; give a table')
    expect(base({ model: 'authors' })).toBe('resource: model: must be a table, not the text "authors"')
    expect(base({ model: {} })).toMatch(
      /^model: an object: is not a PostgreSQL or SQLite table; make it with a column kit, pgTable or sqliteTable$/,
    )
  })

  test('an unknown field in ordering and orderingFields', () => {
    expect(base({ ordering: '-nmae' })).toBe(`${resource}: ordering: unknown field "nmae"; did you mean "name"?`)
    expect(base({ ordering: ['name', 'created_at'] })).toBe(
      `${resource}: ordering: unknown field "created_at"; did you mean "createdAt"?`,
    )
    expect(base({ orderingFields: ['emial'] })).toBe(
      `${resource}: orderingFields: unknown field "emial"; did you mean "email"?`,
    )
    expect(base({ orderingFields: ['name"; drop table'] })).toContain('unknown field')
  })

  describe('a custom action', () => {
    const action = { method: 'POST', detail: false, handler: () => null }

    test('with an unknown setting', () => {
      expect(base({ actions: { go: { ...action, deatil: true } } })).toBe(
        `${resource}: actions.go: unknown setting "deatil"; did you mean "detail"?`,
      )
    })

    test('with a method that HTTP or Viewset does not have', () => {
      for (const method of ['post', 'FETCH', undefined]) {
        expect(base({ actions: { go: { ...action, method } } })).toBe(
          `${resource}: actions.go: method must be one of GET, POST, PUT, PATCH, DELETE`,
        )
      }
    })

    test('with a path that is none', () => {
      for (const path of ['', '/', '/go', 'go/', 'a b', 'a?b', 'a//b']) {
        expect(base({ actions: { go: { ...action, path } } })).toBe(
          `${resource}: actions.go: path "${path}" must be a part of a path, without a slash at either end`,
        )
      }
    })

    test.each<[change: object, problem: string]>([
      [{ detail: undefined }, 'detail must be true for an action on one record, false for one on the list'],
      [{ permissionClasses: [] }, `permissionClasses ${NO_PERMISSIONS}; say [AllowAny] if everyone may use the action`],
      [{ queryset: {} }, 'queryset must be a function that returns a condition'],
      [{ input: { copies: 1 } }, 'input must be a Zod schema'],
      [{ output: String }, 'output must be a Zod schema'],
      [{ status: 404 }, 'status must be a status of success, 200 to 299'],
    ])('with %o', (change, problem) => {
      expect(base({ actions: { go: { ...action, ...change } } })).toBe(`${resource}: actions.go: ${problem}`)
    })

    test('without a handler', () => {
      expect(base({ actions: { go: { ...action, handler: undefined } } })).toBe(
        `${resource}: actions.go: handler must be a function`,
      )
    })
  })
})

describe('a serializer refuses', () => {
  const subject = 'BaseModelSerializer(authors)'

  test.each<[object, string]>([
    [{ fields: ['nmae'] }, 'fields: unknown field "nmae"; did you mean "name"?'],
    [{ fields: ['created_at'] }, 'fields: unknown field "created_at"; did you mean "createdAt"?'],
    [{ fields: ['name'], readOnly: ['email'] }, 'readOnly: "email" is not among the fields; known: "name"'],
    [
      { fields: ['name', 'email'], readOnly: ['emial'] },
      'readOnly: "emial" is not among the fields; did you mean "email"?',
    ],
    [{ fields: ['name'], refine: { nam: {} } }, 'refine: "nam" is not among the fields; did you mean "name"?'],
    [{ fields: ['name'], readonly: ['name'] }, 'readonly: unknown setting; did you mean "readOnly"?'],
    [{ field: ['name'] }, 'field: unknown setting; did you mean "fields"?'],
    [{}, 'fields: is required; name the fields of the model to show'],
    [{ fields: '__all__' }, 'fields: must be a list; name the fields of the model to show'],
    [{ fields: ['name'], readOnly: 'name' }, 'readOnly: must be a list of fields'],
    [
      { fields: ['name'], readOnly: ['name'], refine: { name: z.string() } },
      'refine: "name" is read-only: clients send no value to refine',
    ],
    [{ fields: ['id'], refine: { id: z.uuid() } }, 'refine: "id" is read-only: clients send no value to refine'],
    [
      { fields: ['createdBy'], refine: { createdBy: z.string() } },
      'refine: "createdBy" is read-only: clients send no value to refine',
    ],
    [
      { fields: ['name'], extra: { label: () => 'x' }, refine: { label: z.string() } },
      'refine: "label" is not kept in a column of its own, so no value of it can be refined',
    ],
    [{ fields: ['name'], refine: { name: 'short' } }, 'refine: "name" must be a Zod schema'],
    [{ fields: ['name'], extra: ['author'] }, 'extra: must be an object'],
    [{ fields: ['name'], validate: true }, 'validate: must be a function of the values'],
    [{ fields: [] }, 'fields: shows nothing; name at least one field that is not write-only'],
  ])('%j', (config, problem) => {
    expect(serializer(config)).toBe(`${subject}: ${problem}`)
  })

  test('a relation without a column', () => {
    const author = IdToDataField({ queryset: authors, serializer: AuthorReference })
    expect(serializer({ fields: ['id'], extra: { auhtor: author } }, articles)).toBe(
      'BaseModelSerializer(articles): extra: unknown field "auhtor"; did you mean "author"?',
    )
  })

  test("a relation to another table than the column's", () => {
    const category = IdToDataField({ queryset: categories, serializer: CategorySerializer })
    expect(serializer({ fields: ['id'], extra: { author: category } }, articles)).toBe(
      'BaseModelSerializer(articles): author: the column refers to "authors", the queryset is of "categories"',
    )
  })

  test('a relation whose serializer shows another model', () => {
    const mixed = IdToDataField({ queryset: authors, serializer: CategorySerializer as never })
    expect(serializer({ fields: ['id'], extra: { author: mixed } }, articles)).toBe(
      'BaseModelSerializer(articles): author: the serializer shows "categories", the queryset is of "authors"',
    )
  })

  test('two fields with one name on the wire', () => {
    const table = kit.table('odd', { id: kit.uuid().primaryKey(), fooBar: kit.text(), foo_bar: kit.integer() })
    expect(serializer({ fields: ['fooBar', 'foo_bar'] }, table)).toBe(
      'BaseModelSerializer(odd): fields: "fooBar" and "foo_bar" are both "foo_bar" on the wire',
    )
  })
})

describe('a model refuses', () => {
  test('to be without a primary key and without a column that orders its rows', () => {
    const problem = 'model: needs a primary key, or a column that orders its rows'
    const none = pgTable('nokey', { data: json() })
    expect(serializer({ fields: ['data'] }, none)).toBe(`nokey: ${problem}`)
    const plain = sqliteTable('nokey', { data: sqliteText({ mode: 'json' }) })
    expect(serializer({ fields: ['data'] }, plain)).toBe(`nokey: ${problem}`)
  })

  test.each([
    ['softDelete', 'record'],
    ['constructor', 'object'],
    ['toString', 'object'],
  ])('a field called %s, which every %s has already', (field, owner) => {
    const table = kit.table('odd', { id: kit.uuid().primaryKey(), [field]: kit.text() })
    const problem = `odd: ${field}: is the name of a method of every ${owner}; name the field otherwise`
    expect(serializer({ fields: ['id'] }, table)).toBe(problem)
  })

  test('a decimal that SQLite cannot hold exactly', () => {
    expect(problemOf(() => kit.decimal(16, 2))).toBe(
      'sqlite: decimal(16, 2): SQLite keeps at most 15 digits exactly; lower the precision or use PostgreSQL',
    )
    expect(() => pgKit.decimal(16, 2)).not.toThrow()
  })

  test('a foreign key to a key that nothing can refer to', () => {
    const odd = kit.table('odd', { key: kit.json().primaryKey() })
    expect(problemOf(() => kit.foreignKey(odd))).toBe(
      'odd: foreignKey: a json primary key cannot be referred to by a kit',
    )
    const none = kit.table('none', { name: kit.text() })
    expect(problemOf(() => kit.foreignKey(none))).toBe('none: foreignKey: the table has no single-column primary key')
    const tree = () => kit.table('tree', { id: kit.integer().primaryKey(), parent: kit.foreignKey('self') })
    expect(problemOf(tree)).toBe(
      "tree: foreignKey: 'self' refers to a uuid, but the primary key is integer; choose c.uuid().primaryKey()",
    )
  })
})
