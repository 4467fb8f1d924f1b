import { eq, sql } from 'drizzle-orm'
import {
  AllowAny,
  BaseModelSerializer,
  BaseViewSet,
  type ColumnKit,
  HistoryModelMixin,
  insertMany,
  QuerySet,
  RestoreModelMixin,
  scoped,
  type User,
} from 'viewset'
import { beforeEach, describe, expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'

const firmOf = (user: User | null) => user?.roles?.[0]
const tenant = { column: 'firm', of: ({ user }: { readonly user: User | null }) => firmOf(user) }
const users = { north: { id: 'n', roles: ['north'] }, south: { id: 's', roles: ['south'] }, nobody: { id: 'x' } }

function projectTables(c: ColumnKit) {
  const projects = c.table(
    'projects',
    {
      ...c.BaseModelMixin(),
      ...c.SlugMixin({ from: 'name' }),
      firm: c.text(10).notNull(),
      name: c.text(20).notNull(),
    },
    t => [c.unique([t.firm, t.slug], { where: eq(t.isActive, true) })],
  )
  const tasks = c.table('tasks', {
    id: c.integer().primaryKey(),
    firm: c.text(10).notNull(),
    project: c.foreignKey(projects).notNull(),
    title: c.text(20).notNull(),
  })
  return { projects, tasks, ...c.HistoryTable(projects) }
}

describeDialects('a lookup field that is unique within the tenant', dialect => {
  const tables = projectTables(dialect.kit)
  const { projects, tasks } = tables
  const Project = BaseModelSerializer(projects, { fields: ['id', 'name', 'slug'] })
  const Task = BaseModelSerializer(tasks, { fields: ['id', 'title'] })
  const config = {
    model: projects,
    serializer: Project,
    permissionClasses: [AllowAny],
    tenant,
    softDelete: true,
    lookupField: 'slug',
  } as const
  const ProjectViewSet = BaseViewSet.add(
    HistoryModelMixin,
    RestoreModelMixin,
  )({
    ...config,
    historyPermissionClasses: [AllowAny],
    actions: {
      shout: {
        method: 'POST',
        detail: true,
        handler: async view => ({ name: (await view.getObject()).name.toUpperCase() }),
      },
    },
  })
  class CarelessViewSet extends BaseViewSet(config) {
    override async getQueryset() {
      return QuerySet.of(this.database, projects)
    }
  }
  const taskConfig = { model: tasks, serializer: Task, permissionClasses: [AllowAny], tenant } as const
  const api = useApi(dialect, {
    tables,
    users,
    openapi: true,
    resources: {
      projects: ProjectViewSet,
      careless: CarelessViewSet,
      'projects/:project/tasks': BaseViewSet({
        ...taskConfig,
        parent: { field: 'project', lookupField: 'slug', queryset: scoped(projects, () => sql`true`) },
      }),
    },
  })
  const north = { as: 'north' } as const
  const south = { as: 'south' } as const
  beforeEach(() =>
    api.database.transaction(async () => {
      await insertMany(projects, [
        { id: uuid(1), firm: 'north', slug: 'port', name: 'North' },
        { id: uuid(2), firm: 'south', slug: 'port', name: 'South' },
        { id: uuid(3), firm: 'north', slug: 'only', name: 'Only north' },
      ])
      await insertMany(tasks, [
        { id: 101, firm: 'north', project: uuid(1), title: 'Of north' },
        { id: 102, firm: 'south', project: uuid(2), title: 'Of south' },
      ])
    }),
  )
  const names = async () => (await api.rows('projects')).map(row => row.at(-1)).toSorted()

  test.each(['projects', 'careless'])('a path of /%s/ names the record of the tenant', async resource => {
    const path = `/${resource}/port/`
    expect((await api.get(path, north)).data()).toMatchObject({ id: uuid(1) })
    expect((await api.get(path, south)).data()).toMatchObject({ id: uuid(2) })
    expect((await api.patch(path, { name: 'N' }, north)).data()).toMatchObject({ id: uuid(1) })
    expect((await api.put(path, { name: 'S', slug: 'port' }, south)).data()).toMatchObject({ id: uuid(2) })
    expect(await names()).toEqual(['N', 'Only north', 'S'])
    for (const method of ['GET', 'PATCH', 'PUT', 'DELETE'] as const) {
      const body = method === 'GET' || method === 'DELETE' ? undefined : { name: 'x', slug: 'only' }
      expect((await api.request(method, `/${resource}/only/`, { body, ...south })).status, method).toBe(404)
      expect((await api.request(method, path, { body, as: 'nobody' })).status, method).toBe(403)
    }
    expect((await api.delete(path, south)).status).toBe(204)
    expect((await api.get(path, south)).status).toBe(404)
    expect((await api.get(path, north)).status).toBe(200)
  })

  test('a custom action, the history, the restore and the revert find the record of the tenant', async () => {
    await api.patch('/projects/port/', { name: 'N2' }, north)
    await api.patch('/projects/port/', { name: 'S1' }, south)
    await api.patch('/projects/port/', { name: 'S2' }, south)
    expect((await api.post('/projects/port/shout/', undefined, south)).data()).toEqual({ name: 'S2' })
    expect((await api.post('/projects/only/shout/', undefined, south)).status).toBe(404)
    const history = await api.get('/projects/port/history/', south)
    expect(history.data<object[]>()).toMatchObject([{ after: { name: 'S2' } }, { after: { name: 'S1' } }])
    expect(history.text).not.toContain('N2')
    expect((await api.get('/projects/only/history/', south)).status).toBe(404)
    const [, first] = history.data<{ id: number }[]>()
    const reverted = await api.post('/projects/port/revert/', { entry: first?.id }, south)
    expect(reverted.data()).toMatchObject({ id: uuid(2), name: 'S1' })
    expect((await api.post('/projects/port/revert/', { entry: first?.id }, north)).status).toBe(400)
    await api.delete('/projects/port/', north)
    await api.delete('/projects/port/', south)
    expect((await api.post(`/projects/${uuid(1)}/restore/`, undefined, south)).status).toBe(404)
    expect((await api.get(`/projects/${uuid(1)}/history/`, south)).status).toBe(404)
    expect((await api.post(`/projects/${uuid(2)}/restore/`, undefined, south)).data()).toMatchObject({ name: 'S1' })
    expect((await api.get('/projects/port/', north)).status).toBe(404)
    expect((await api.get('/projects/port/', south)).data()).toMatchObject({ id: uuid(2) })
  })

  test('the parent in a path is that of the tenant, also if its queryset has the parents of all', async () => {
    expect((await api.get('/projects/port/tasks/', north)).data()).toMatchObject([{ id: 101, title: 'Of north' }])
    expect((await api.get('/projects/port/tasks/', south)).data()).toMatchObject([{ id: 102, title: 'Of south' }])
    for (const path of ['/projects/only/tasks/', '/projects/port/tasks/101/']) {
      expect((await api.get(path, south)).status, path).toBe(404)
    }
    expect((await api.post('/projects/only/tasks/', { title: 'x' }, south)).status).toBe(404)
    expect((await api.post('/projects/port/tasks/', { title: 'New' }, south)).status).toBe(201)
    expect((await api.get('/projects/port/tasks/', { as: 'nobody' })).status).toBe(403)
    expect((await api.get('/projects/port/tasks/', north)).data()).toHaveLength(1)
    expect((await api.rows('tasks')).map(row => row.slice(1).join(' '))).toContain(`south ${uuid(2)} New`)
  })

  test('a derived slug must be free within the tenant only', async () => {
    for (const as of ['north', 'south']) {
      expect((await api.post('/projects/', { name: 'One' }, { as })).data()).toMatchObject({ slug: 'one' })
      const taken = await api.post('/projects/', { name: 'One' }, { as })
      expect([taken.status, taken.envelope()]).toMatchObject([400, { errors: { slug: [expect.any(String)] } }])
      expect(taken.text).not.toContain('firm')
    }
  })

  test('the description names the field in the path', async () => {
    const { paths } = JSON.parse((await api.get('/openapi.json')).text) as { paths: Record<string, object> }
    expect(JSON.stringify(paths)).toContain('The `slug` of the project.')
  })

  describe('the start refuses a lookup field that', () => {
    const { tenant: _, ...withoutTenant } = config
    const together = /and it is unique only together with "firm"; if that is the tenant, set tenant: \{ column: 'firm'/

    test('is unique together with a column that the tenant does not fix', () => {
      expect(() => BaseViewSet(withoutTenant)).toThrow(/"slug" must be unique: a path names one record, /)
      expect(() => BaseViewSet(withoutTenant)).toThrow(together)
      expect(() => BaseViewSet(withoutTenant)).toThrow(/otherwise add c\.unique\(t\.slug\) to "projects"/)
      expect(() => BaseViewSet({ ...config, tenant: false })).toThrow(together)
      expect(() => BaseViewSet({ ...withoutTenant, fixedValues: () => ({ firm: 'north' }) })).toThrow(together)
    })

    test('is unique for no tenant', () => {
      expect(() => BaseViewSet({ ...config, lookupField: 'name' })).toThrow(
        'lookupField: "name" must be unique: a path names one record; add c.unique(t.name) to "projects"',
      )
    })

    test('names a parent of a resource without the tenant', () => {
      const parent = { field: 'project', lookupField: 'slug' } as const
      expect(() => BaseViewSet({ ...taskConfig, tenant: false, parent })).toThrow(together)
    })
  })
})
