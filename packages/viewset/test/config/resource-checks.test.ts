import { eq, exists, inArray, sql } from 'drizzle-orm'
import * as pg from 'drizzle-orm/pg-core'
import * as lite from 'drizzle-orm/sqlite-core'
import Fastify from 'fastify'
import {
  AllowAny,
  allRecords,
  BaseModelSerializer,
  BaseViewSet,
  BulkCreateViewSet,
  BulkUpdateViewSet,
  BulkViewSet,
  ConfigError,
  CreateModelMixin,
  compose,
  currentDb,
  DataToIdField,
  defineMixin,
  FlexibleField,
  IdOnlyField,
  IdToDataField,
  ManyIdToDataField,
  type Model,
  type ModelSerializer,
  preSave,
  ReadOnlyViewSet,
  StandardPageNumberPagination,
  scoped,
  type ViewSetConfig,
} from 'viewset'
import { resources, serverOptions } from 'viewset/fastify'
import { kit as pgKit } from 'viewset/pg'
import { kit, sqlite } from 'viewset/sqlite'
import { createTestDatabase } from 'viewset/testing'
import { describe, expect, test } from 'vitest'
import { problemOf } from '../support/problem.ts'

declare module 'viewset' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    FillingMixin: { config: object; methods: object }
  }
}

const permissionClasses = [AllowAny]
const teams = kit.table('teams', { id: kit.integer().primaryKey(), name: kit.text(20).notNull() })
const people = kit.table('people', {
  id: kit.integer().primaryKey(),
  tenant: kit.text(20).notNull(),
  name: kit.text(20).notNull(),
  team: kit.foreignKey(teams),
})
const tags = kit.table('tags', { id: kit.integer().primaryKey(), label: kit.text(20).notNull() })
const personTags = kit.table('person_tags', {
  person: kit.foreignKey(people).notNull(),
  tag: kit.foreignKey(tags).notNull(),
  since: kit.date().notNull(),
})
const TeamSerializer = BaseModelSerializer(teams, { fields: ['id', 'name'] })
const TagSerializer = BaseModelSerializer(tags, { fields: ['id', 'label'] })

/** Registers one resource, and returns what is wrong with it. */
async function problem(resource: ReturnType<typeof ReadOnlyViewSet> | object): Promise<string | undefined> {
  const app = Fastify(serverOptions)
  const { database, drop } = await createTestDatabase()
  try {
    await app.register(resources, { prefix: '/api', database, resources: { things: resource } } as never)
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as ConfigError).message
  } finally {
    await app.close()
    await drop()
  }
}

describe('a resource that could create nothing is refused at start', () => {
  const lacking = BaseModelSerializer(people, { fields: ['id', 'name'] })
  const common = { model: people, serializer: lacking, permissionClasses }
  const message =
    'resources.things: serializer: "tenant" of "people" is required and not in the serializer, so nothing could be ' +
    'created; name it among the fields, give the column a default, or fill it by fixedValues or performCreate'

  test('where its serializer lacks a required column', async () => {
    expect(await problem(BaseViewSet(common))).toBe(message)
    expect(await problem(BulkCreateViewSet(common))).toBe(message)
    expect(await problem(compose(CreateModelMixin)(common))).toBe(message)
  })

  test('where the column is read-only', async () => {
    const serializer = BaseModelSerializer(people, { fields: ['id', 'name', 'tenant'], readOnly: ['tenant'] })
    expect(await problem(BaseViewSet({ ...common, serializer }))).toBe(
      message.replace('not in the serializer', 'read-only'),
    )
  })

  test('but not where nothing is created, or something else fills the column', async () => {
    expect(await problem(ReadOnlyViewSet(common))).toBeUndefined()
    expect(await problem(BulkUpdateViewSet(common))).toBeUndefined()
    expect(await problem(BaseViewSet({ ...common, fixedValues: () => ({ tenant: 'a' }) }))).toBeUndefined()
    class Own extends BaseViewSet(common) {
      override async performCreate(values: Parameters<InstanceType<typeof Base>['performCreate']>[0]) {
        return super.performCreate({ ...values, tenant: 'a' })
      }
    }
    const Base = BaseViewSet(common)
    expect(await problem(Own)).toBeUndefined()
    class Property extends BaseViewSet(common) {
      override performCreate = async () => {
        throw new Error('not asked')
      }
    }
    expect(await problem(Property)).toBeUndefined()
    class Bulk extends BulkViewSet(common) {
      override async validateMany() {
        return []
      }
    }
    expect(await problem(Bulk)).toBeUndefined()
    const Filling = defineMixin('FillingMixin', {
      extends: [CreateModelMixin],
      methods: Base =>
        class extends Base {
          override performCreate(values: object) {
            return super.performCreate({ ...values, tenant: 'a' })
          }
        },
    })
    expect(await problem(compose(Filling)(common))).toBeUndefined()
  })

  test('nor where a signal may fill it', async () => {
    const disconnect = preSave(people, ({ values }) => {
      values.tenant = 'a'
    })
    expect(await problem(BaseViewSet(common))).toBeUndefined()
    disconnect()
    expect(await problem(BaseViewSet(common))).toBe(message)
  })

  test('nor for columns that the database fills', async () => {
    const things = lite.sqliteTable('things', {
      id: lite.integer().primaryKey(),
      name: lite.text().notNull(),
      twice: lite.text().notNull().generatedAlwaysAs(sql`name || name`),
      code: lite.text().notNull().default(sql`(hex(randomblob(4)))`),
      made: lite
        .text()
        .notNull()
        .$defaultFn(() => 'now'),
      changed: lite
        .text()
        .notNull()
        .$onUpdateFn(() => 'now'),
      team: lite.integer('team_id').notNull(),
    })
    const serializer = BaseModelSerializer(things, {
      fields: ['name'],
      extra: { group: IdToDataField({ queryset: teams, serializer: TeamSerializer, column: 'team' }) },
    })
    expect(await problem(BulkViewSet({ model: things, serializer, permissionClasses }))).toBeUndefined()
  })

  type People = typeof people | ReturnType<typeof scoped<typeof people>>
  test.each([
    ['DataToIdField', (queryset: People) => DataToIdField({ queryset, serializer: lacking })],
    ['FlexibleField', (queryset: People) => FlexibleField({ queryset, serializer: lacking })],
  ])('where a nested serializer lacks one: %s', async (_, field) => {
    const notes = kit.table('notes', { id: kit.integer().primaryKey(), person: kit.foreignKey(people).notNull() })
    const nested = (queryset: People) =>
      BaseModelSerializer(notes, { fields: ['id'], extra: { person: field(queryset) } })
    const config = (serializer: ReturnType<typeof nested>) => ({ model: notes, serializer, permissionClasses })
    const expected =
      'resources.things: serializer.person: "tenant" of "people" is required and not in the serializer, so nothing could ' +
      'be created; name it among the fields of that serializer, give the column a default, or take identifiers only'
    expect(await problem(BaseViewSet(config(nested(people))))).toBe(expected)
    expect(await problem(BulkUpdateViewSet(config(nested(people))))).toBe(expected)
    expect(await problem(ReadOnlyViewSet(config(nested(people))))).toBeUndefined()
    const filled = scoped(people, () => allRecords, { fixedValues: () => ({ tenant: 'a' }) })
    expect(await problem(BaseViewSet(config(nested(filled))))).toBeUndefined()
  })

  test('where a join table has a further required column', async () => {
    const serializer = (readOnly: boolean) =>
      BaseModelSerializer(people, {
        fields: ['id', 'tenant', 'name'],
        extra: {
          tags: ManyIdToDataField({ queryset: tags, serializer: TagSerializer, through: personTags, readOnly }),
        },
      })
    expect(await problem(BaseViewSet({ ...common, serializer: serializer(false) }))).toBe(
      'resources.things: serializer.tags: "since" of "person_tags" is required and a link has no more than its two keys; ' +
        'give the column a default, set readOnly, or make "person_tags" a resource of its own',
    )
    expect(await problem(BaseViewSet({ ...common, serializer: serializer(true) }))).toBeUndefined()
  })
})

describe('a condition that names a column of another table is refused at start', () => {
  const serializer = BaseModelSerializer(people, { fields: ['id', 'tenant', 'name', 'team'] })
  const common = { model: people, serializer, permissionClasses }
  const message = (setting: string, table = 'teams', column = 'name') =>
    `resources.things: ${setting}: names the column "${column}" of "${table}", which is another table; select from that ` +
    `in a subquery, such as sql\`exists (select 1 from \${${table}} where ...)\``

  test('in each place that takes one', async () => {
    const wrong = () => eq(teams.name, 'Red')
    expect(await problem(ReadOnlyViewSet({ ...common, queryset: wrong }))).toBe(message('queryset'))
    expect(await problem(ReadOnlyViewSet({ ...common, queryset: ({ user }) => (user ? allRecords : wrong()) }))).toBe(
      message('queryset'),
    )
    const red = { method: 'GET', detail: false, queryset: wrong, handler: () => 1 } as const
    expect(await problem(ReadOnlyViewSet({ ...common, actions: { red } }))).toBe(message('actions.red'))
    const scopedField = BaseModelSerializer(people, {
      fields: ['id'],
      extra: { team: IdOnlyField({ queryset: scoped(teams, () => eq(people.name, 'Ada')) }) },
    })
    expect(await problem(ReadOnlyViewSet({ ...common, serializer: scopedField }))).toBe(
      message('serializer.team', 'people'),
    )
  })

  test('and so is one that is promised', async () => {
    const queryset = (async () => undefined) as never
    expect(await problem(ReadOnlyViewSet({ ...common, queryset }))).toBe(
      'resources.things: queryset: must return a condition, not a promise; override getQueryset for that',
    )
  })

  test.each<[string, ViewSetConfig<typeof people, typeof serializer, 'ListModelMixin'>['queryset']]>([
    ['its own columns', () => eq(people.name, 'Ada')],
    ['all records', () => allRecords],
    ['a subquery in SQL', () => sql`exists (select 1 from ${teams} where ${teams.id} = ${people.team})`],
    ['a subquery in text', () => sql`exists (select 1 from teams where ${teams.id} = ${people.team})`],
    ['a subquery of Drizzle', () => inArray(people.team, currentDb().select({ id: teams.id }).from(teams))],
    ['one that is correlated', view => exists(view.db.select().from(teams).where(eq(teams.id, people.team)))],
    ['the user, whom nobody is', ({ user }) => eq(people.tenant, String((user as { id: string }).id))],
    [
      'an error for nobody',
      () => {
        throw new Error('who are you?')
      },
    ],
  ])('one with %s is not', async (_, queryset) => {
    expect(await problem(ReadOnlyViewSet({ ...common, ...(queryset && { queryset }) }))).toBeUndefined()
  })
})

describe('a view is no model', () => {
  const remedy = (name: string) =>
    `${name}: model: is a view; describe its columns by a table named "${name}", outside of what drizzle-kit reads, ` +
    'and give that'

  test('of either database: the error names it and what to do', () => {
    const redTeams = lite.sqliteView('red_teams').as(query => query.select().from(teams as never))
    expect(problemOf(() => BaseModelSerializer(redTeams as never, { fields: [] }))).toBe(remedy('red_teams'))
    const pgTeams = pgKit.table('teams', { id: pgKit.integer().primaryKey() })
    const blueTeams = pg.pgView('blue_teams').as(query => query.select().from(pgTeams))
    expect(problemOf(() => BaseModelSerializer(blueTeams as never, { fields: [] }))).toBe(remedy('blue_teams'))
    // @ts-expect-error TypeScript refuses it as well
    expect(() => BaseModelSerializer(blueTeams, { fields: ['id'] })).toThrow(ConfigError)
  })

  test('nor is something else', () => {
    expect(problemOf(() => BaseModelSerializer({} as never, { fields: [] }))).toBe(
      'model: an object: is not a PostgreSQL or SQLite table; make it with a column kit, pgTable or sqliteTable',
    )
  })

  test('but a table of its name reads it', async () => {
    const { url, database, drop } = await createTestDatabase({ schema: { teams } })
    try {
      await database.driver.run({ text: "insert into teams values (1, 'Red'), (2, 'Blue')" }, [])
      await database.driver.run({ text: "create view red_teams as select id, name from teams where name = 'Red'" }, [])
      const redTeams = lite.sqliteTable('red_teams', { id: lite.integer().primaryKey(), name: lite.text() })
      const RedTeamViewSet = ReadOnlyViewSet({
        model: redTeams,
        serializer: BaseModelSerializer(redTeams, { fields: ['id', 'name'] }),
        permissionClasses,
      })
      const app = Fastify(serverOptions)
      const own = sqlite(url)
      await app.register(resources, { prefix: '/api', database: own, resources: { teams: RedTeamViewSet } })
      expect((await app.inject('/api/teams/')).json().data).toEqual([{ id: 1, name: 'Red', index: 1 }])
      await app.close()
      await own.close()
    } finally {
      await drop()
    }
  })
})

describe('a setting in the body of a class stops the start', () => {
  const serializer = BaseModelSerializer(teams, { fields: ['id', 'name'] })
  const Base = BaseViewSet({ model: teams, serializer, permissionClasses })
  const message = (name: string, setting: string) =>
    `resources.things: ${name}: does not count in the body of a class; give ${setting} to the function that makes its base class: BaseViewSet({ ${setting}: ... })`

  test('as a member of its instances, of itself, as a getter, in the spelling of DRF, and below another class', async () => {
    class Member extends Base {
      permissionClasses = []
    }
    class Inherited extends Member {}
    class Static extends Base {
      static filterFields = ['name']
    }
    class Getter extends Base {
      get pageSize() {
        return 3
      }
      queryset() {
        return undefined
      }
    }
    class Python extends Base {
      permission_classes = []
    }
    expect(await problem(Member)).toBe(message('permissionClasses', 'permissionClasses'))
    expect(await problem(Inherited)).toBe(message('permissionClasses', 'permissionClasses'))
    expect(await problem(Static)).toBe(message('filterFields', 'filterFields'))
    expect(await problem(Getter)).toBe(message('queryset', 'queryset'))
    expect(await problem(Python)).toBe(message('permission_classes', 'permissionClasses'))
  })

  test('also where the class reads a member whose name begins with its name', async () => {
    class Reading extends Base {
      ordering = 'name'
      orderingOfToday = 'name'
      override async initial() {
        if (this.orderingOfToday !== '') await super.initial()
      }
    }
    expect(await problem(Reading)).toBe(message('ordering', 'ordering'))
  })

  test('but not where the class reads the member itself', async () => {
    class Reading extends Base {
      ordering = 'name'
      override async initial() {
        if (this.ordering === '') await super.initial()
      }
    }
    expect(await problem(Reading)).toBeUndefined()
  })
})

describe('a method with the mistyped name of a hook stops the start', () => {
  const serializer = BaseModelSerializer(teams, { fields: ['id', 'name'] })
  const Base = BaseViewSet({ model: teams, serializer, permissionClasses })
  const message = (name: string, meant: string) =>
    `resources.things: ${name}: is not a method that Viewset calls; did you mean "${meant}"?`

  test.each([
    ['preformCreate', 'performCreate'],
    ['perform_create', 'performCreate'],
    ['getQuerySet', 'getQueryset'],
    ['getSerialiser', 'getSerializer'],
    ['finalise', 'finalize'],
    ['checkPermission', 'checkPermissions'],
    ['checkObjectPermission', 'checkObjectPermissions'],
    ['validateMnay', 'validateMany'],
    ['performUpate', 'performUpdate'],
    ['crate', 'create'],
  ])('%s, which was to be %s', async (name, meant) => {
    class Mistyped extends Base {}
    Object.defineProperty(Mistyped.prototype, name, { value() {} })
    class Inherited extends Mistyped {}
    const Property = class extends Base {
      constructor(context: ConstructorParameters<typeof Base>[0]) {
        super(context)
        Object.assign(this, { [name]: () => undefined })
      }
    }
    expect(await problem(Mistyped)).toBe(message(name, meant))
    expect(await problem(Inherited)).toBe(message(name, meant))
    expect(await problem(Property)).toBe(message(name, meant))
  })

  test('also if it calls super by the same name', async () => {
    class Mistyped extends Base {
      // @ts-expect-error: no such method
      preformCreate = (values: object) => super.preformCreate(values)
    }
    expect(await problem(Mistyped)).toBe(message('preformCreate', 'performCreate'))
  })

  test.each([
    'getObjects',
    'listed',
    'last',
    'recreate',
    'upgrade',
    'invalidate',
    'performExport',
    'performUpsert',
    'getSubject',
    'gatObject',
    'validateAll',
    'serializeOne',
    'creates',
    'finalizeAll',
    'initialize',
    'describe',
  ])('but not %s, which is a name of its own', async name => {
    class Named extends Base {}
    Object.defineProperty(Named.prototype, name, { value() {} })
    expect(await problem(Named)).toBeUndefined()
  })

  test('and not a helper that the class or an action calls, a custom action, or a method of a mixin', async () => {
    class Helping extends Base {
      checkPermission() {
        return this.user !== null
      }
      override async initial() {
        if (this.checkPermission()) await super.initial()
      }
    }
    expect(await problem(Helping)).toBeUndefined()

    const handler = (view: object) => (view as { preformCreate(): string }).preformCreate()
    const actions = {
      recieve: { method: 'POST', detail: false, handler },
      crate: { method: 'POST', detail: true, handler: () => 'crated' },
    } as const
    class Acting extends BaseViewSet({ model: teams, serializer, permissionClasses, actions }) {
      preformCreate() {
        return 'preformed'
      }
      crate() {}
    }
    expect(await problem(Acting)).toBeUndefined()

    const Filling = defineMixin('FillingMixin', {
      extends: [CreateModelMixin],
      methods: Filled =>
        class extends Filled {
          preformCreate() {}
        },
    })
    class Overriding extends compose(Filling)({ model: teams, serializer, permissionClasses }) {
      preformCreate() {}
    }
    expect(await problem(Overriding)).toBeUndefined()
  })
})

describe('options that no request could meet are refused at start', () => {
  const serializer = BaseModelSerializer(teams, { fields: ['id', 'name'] })
  const config = { model: teams, serializer, permissionClasses } as const

  test.each([
    ['SQLite', kit],
    ['PostgreSQL', pgKit],
  ])('a slug of a field that the model lacks: %s', (_, c) => {
    const pages = c.table('pages', {
      id: c.integer().primaryKey(),
      title: c.text(20).notNull(),
      ...c.SlugMixin({ from: 'titel' }),
    })
    const Pages = BaseModelSerializer(pages, { fields: ['id', 'title'] })
    expect(problemOf(() => BaseViewSet({ model: pages, serializer: Pages, permissionClasses }))).toBe(
      'pages: SlugMixin: from: "titel" is no text of "pages"; did you mean "title"?',
    )
  })

  test('a slug with an unknown way of changing a taken one', () => {
    expect(problemOf(() => kit.SlugMixin({ from: 'title', ifTaken: 'suffix' as never }))).toContain("'extend'")
    expect(problemOf(() => kit.SlugMixin({} as never))).toContain('name the text that makes the slug')
  })

  test('a page size above its maximum', () => {
    class Large extends StandardPageNumberPagination {
      override readonly pageSize = 500
    }
    expect(problemOf(() => BaseViewSet({ ...config, paginationClass: Large }))).toContain(
      'paginationClass: pageSize is 500, which is above its maxPageSize of 100',
    )
  })

  test('a history of no table', () => {
    const missing = undefined as unknown as typeof teams
    expect(problemOf(() => kit.HistoryTable(missing))).toContain('HistoryTable: model: must be a table, not undefined')
  })
})
