import { AllowAny, BaseModelSerializer, BaseViewSet } from 'viewset'
import { expect, test } from 'vitest'
import { useApi } from '../support/api.ts'
import { describeDialects } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'

/** What stands in front of the column, in a record. */
const DATA = `"id":"${uuid(1)}","data":`

describeDialects('JSON columns', dialect => {
  const c = dialect.kit
  const things = c.table('things', { id: c.uuid().primaryKey(), data: c.json() })
  const serializer = BaseModelSerializer(things, { fields: ['id', 'data'] })
  const api = useApi(dialect, {
    tables: { things },
    resources: { things: BaseViewSet({ model: things, serializer, permissionClasses: [AllowAny] }) },
  })
  const shown = async () => {
    const { text } = await api.get(`/things/${uuid(1)}/`)
    return text.slice(text.indexOf(DATA) + DATA.length, -2)
  }

  test('are answered in their shortest form, the same on every database', async () => {
    const data = {
      big: 1.79e308,
      list: [1.1, -2, 'a , b : 1.50 "\\'],
      tiny: 5e-324,
      small: 1e-7,
      spaced: { 'a b': null },
    }
    // jsonb keeps keys by length, then by letter.
    const { big, list, tiny, small, spaced } = data
    const text = JSON.stringify({ big, list, tiny, small, spaced })
    const created = await api.post('/things/', { id: uuid(1), data })
    expect(created.text).toContain(`"data":${text}}`)
    expect(await shown()).toBe(text)
  })

  test('keep the digits of numbers that a double would alter', async () => {
    const stored = `{"a" : 12345678901234567890, "b":\n0.12345678901234567890123, "c": 1.50, "d": "1.50  x", "e": [ ]}`
    await api.database.driver.run({ text: `insert into things (id, data) values ('${uuid(1)}', '${stored}')` }, [])
    const kept = '{"a":12345678901234567890,"b":0.12345678901234567890123,"c":1.5,"d":"1.50  x","e":[]}'
    expect(await shown()).toBe(kept)
    const file = await api.post('/things/export/', { file_type: 'csv', includes: ['data'] })
    expect(file.text).toBe(`Data\r\n"${kept.replaceAll('"', '""')}"\r\n`)
  })
})
