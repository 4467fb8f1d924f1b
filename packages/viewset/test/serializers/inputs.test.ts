import {
  AllowAny,
  BaseModelSerializer,
  BulkImportableViewSet,
  ColumnField,
  type ColumnKit,
  InputField,
  importModel,
  type SerializerBody,
  type SerializerData,
  type SerializerInput,
} from 'viewset'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { expectInvalid } from '../support/expect.ts'
import type { Equal, Expect } from '../types/support.ts'

function userTables(c: ColumnKit) {
  const accounts = c.table('accounts', {
    ...c.BaseModelMixin(),
    email: c.text(50).notNull().unique(),
    secret: c.text(100).notNull(),
    fullName: c.text(50),
  })
  return { accounts }
}

describeDialects('inputs and renamed columns', dialect => {
  const tables = userTables(dialect.kit)
  const { accounts } = tables
  const AccountSerializer = BaseModelSerializer(accounts, {
    fields: ['id', 'email'],
    extra: {
      password: InputField(z.string().min(8)),
      invited: InputField(z.boolean().optional()),
      label: ColumnField('fullName'),
    },
    validate: ({ password, email }) =>
      password !== undefined && password === email ? { nonFieldErrors: 'Choose another password.' } : undefined,
  })
  type Input = SerializerInput<typeof AccountSerializer>
  const AccountBase = BulkImportableViewSet({
    model: accounts,
    serializer: AccountSerializer,
    permissionClasses: [AllowAny],
    filterFields: ['fullName'],
    fixedValues: () => ({ secret: 'none' }),
    importFileConfig: {
      fileFormat: 'csv',
      order: ['accounts'],
      models: { accounts: importModel({ model: accounts, fields: ['email', 'fullName'], uniqueFields: ['email'] }) },
    },
  })
  const seen: Input[] = []
  class AccountViewSet extends AccountBase {
    override async performCreate(values: Input) {
      seen.push(values)
      const { password, ...stored } = values
      return super.performCreate({ ...stored, secret: `hash of ${password}` })
    }
  }
  const api = useApi(dialect, { tables, resources: { accounts: AccountViewSet, plain: AccountBase } })
  const body = { email: 'a@x.org', password: 'long enough', label: 'Ann' }

  test('an input reaches the hook and is neither stored nor shown', async () => {
    seen.length = 0
    const created = await api.post('/accounts/', { ...body, invited: true })
    expect(created.data()).toEqual({ id: expect.any(String), email: 'a@x.org', label: 'Ann' })
    expect(seen).toMatchObject([{ password: 'long enough', invited: true, fullName: 'Ann' }])
    expect((await api.rows('accounts'))[0]).toContain('hash of long enough')
  })

  test.each(['accounts', 'plain'])('%s: an input is dropped where no hook takes it', async name => {
    const bulk = await api.post(`/${name}/bulk-create/`, [body, { ...body, email: 'b@x.org' }])
    expect(bulk.status).toBe(201)
    const [{ id } = { id: '' }] = bulk.data<{ id: string }[]>()
    expect((await api.patch(`/${name}/${id}/`, { password: 'another one', label: 'Bea' })).data()).toMatchObject({
      label: 'Bea',
    })
    const updated = await api.patch(`/${name}/bulk-update/`, [{ id, invited: false }])
    expect(updated.status, updated.text).toBe(200)
    expect((await api.put(`/${name}/${id}/`, body)).status).toBe(200)
  })

  test('is validated like a field', async () => {
    expectInvalid(await api.post('/accounts/', { email: 'a@x.org' }), { password: ['This field is required.'] })
    const short = await api.post('/accounts/', { ...body, password: 'short' })
    expect(short.envelope()).toMatchObject({ errors: { password: [expect.stringContaining('8')] } })
    const equal = await api.post('/accounts/', { ...body, email: 'long enough' })
    expect(equal.envelope()).toMatchObject({ errors: { non_field_errors: ['Choose another password.'] } })
  })

  describe('a renamed column', () => {
    test('is written, shown, ordered and exported under its own name', async () => {
      await api.post('/plain/', body)
      await api.post('/plain/', { ...body, email: 'b@x.org', label: null })
      const listed = await api.get('/plain/?ordering=-email&full_name=Ann')
      expect(listed.data()).toMatchObject([{ label: 'Ann' }])
      const file = await api.post('/plain/export/', { file_type: 'csv', includes: ['email', 'label'] })
      expect(file.text).toContain('Ann')
      const long = await api.post('/plain/', { ...body, label: 'x'.repeat(51) })
      expect(long.envelope()).toMatchObject({ errors: { label: [expect.stringContaining('50')] } })
    })

    test('must exist, and be written once', () => {
      const make = (extra: Readonly<Record<string, never>>) => () =>
        BaseModelSerializer(accounts, { fields: ['id', 'email'], extra })
      expect(make({ label: ColumnField('fulName') as never })).toThrow(/did you mean "fullName"/)
      expect(make({ label: ColumnField('email') as never })).toThrow(/both write "email"/)
      expect(make({ secret: InputField(z.string()) as never })).toThrow(/has a column "secret"/)
      // @ts-expect-error no such column
      const misspelt = () => BaseModelSerializer(accounts, { fields: ['id'], extra: { label: ColumnField('fulName') } })
      expect(misspelt).toThrow()
    })
  })

  test('types', () => {
    type Body = SerializerBody<typeof AccountSerializer>
    type _body = [
      Expect<Equal<Body['password'], string>>,
      Expect<Equal<Body['invited'], boolean | undefined>>,
      Expect<Equal<Body['label'], string | null | undefined>>,
      Expect<Equal<keyof SerializerData<typeof AccountSerializer>, 'id' | 'email' | 'label'>>,
      Expect<Equal<Input['password'], string | undefined>>,
    ]
    expect(true satisfies boolean).toBe(true)
  })
})
