import { Readable } from 'node:stream'
import { AllowAny, BaseViewSet, Download, Reply } from 'viewset'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { useClient } from '../support/client.ts'
import { describeOneDialect } from '../support/dialects.ts'
import { uuid } from '../support/expect.ts'
import { models, seed } from '../support/models.ts'
import { serializers } from '../support/serializers.ts'

describeOneDialect('a client calls an action', dialect => {
  const tables = models(dialect.kit)
  class AuthorViewSet extends BaseViewSet({
    model: tables.authors,
    serializer: serializers(tables).AuthorReference,
    permissionClasses: [AllowAny],
    actions: {
      rename: {
        method: 'POST',
        detail: true,
        input: z.object({ name: z.string(), at: z.iso.datetime() }),
        handler: async (view, { name }) => Object.assign(await view.getObject(), { name }).save(),
      },
      whole: {
        method: 'PUT',
        detail: true,
        path: 'as/a-whole',
        input: z.array(z.int()),
        handler: (_view, list) => list,
      },
      some: {
        method: 'PATCH',
        detail: false,
        input: z.string(),
        output: z.object({ length: z.number().transform(String) }),
        handler: (_view, { length }) => ({ length }),
      },
      readNote: {
        method: 'GET',
        detail: false,
        path: 'note',
        handler: ({ query }) => ({ asked: query.about ?? null }),
      },
      writeNote: {
        method: 'POST',
        detail: false,
        path: 'note',
        status: 201,
        handler: () => new Reply({ id: 1n.toString() }),
      },
      dropNote: { method: 'DELETE', detail: false, path: 'note', status: 204, handler: () => undefined },
      nothing: { method: 'POST', detail: false, handler: () => undefined },
      dates: { method: 'GET', detail: false, handler: async () => [new Date(0)] },
      file: {
        method: 'GET',
        detail: true,
        path: 'files/:name',
        handler: ({ request }) =>
          new Download({
            filename: `${request.params.name} ü.txt`,
            contentType: 'application/json',
            stream: Readable.from([Buffer.from('{}')]),
          }),
      },
    },
  }) {}
  const listening = useClient(dialect, { tables, resources: { authors: AuthorViewSet } })
  const authors = async () => {
    await seed(listening.api.database, tables, { authors: [{ id: uuid(1), name: 'Ada' }] })
    return listening.client().authors
  }

  test('about one record, with a body of any shape', async () => {
    const client = await authors()
    const one = client.actionsOf(uuid(1))
    expect(await one.rename.post({ name: 'Bob', at: '2026-01-01T00:00:00Z' })).toEqual({ id: uuid(1), name: 'Bob' })
    expect(await one['as/a-whole'].put([1, 2])).toEqual([1, 2])
    expect(await client.retrieve(uuid(1))).toEqual({ id: uuid(1), name: 'Bob' })
  })

  test('about the resource, with whatever it answers', async () => {
    const { actions } = await authors()
    expect(await actions.some.patch('four')).toEqual({ length: '4' })
    expect(await actions.note.get({ query: { about: 'A & B' } })).toEqual({ asked: 'A & B' })
    expect(await actions.note.post()).toEqual({ id: '1' })
    expect(await actions.note.delete()).toBeNull()
    expect(await actions.nothing.post()).toBeNull()
    expect(await actions.dates.get()).toEqual(['1970-01-01T00:00:00.000Z'])
  })

  test('that answers a file, at a path with parts of its own', async () => {
    const file = await (await authors()).actionsOf(uuid(1))['files/:name']({ name: 'a b' }).get()
    expect([file.filename, file.type, await file.text()]).toEqual(['a b ü.txt', 'application/json', '{}'])
  })

  test('and is told by one error what was wrong with it', async () => {
    const { actions } = await authors()
    const wrong = 4 as unknown as string
    await expect(actions.some.patch(wrong)).rejects.toMatchObject({ name: 'ClientError', status: 400 })
  })
})
