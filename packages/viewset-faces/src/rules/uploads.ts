import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { expectRefusal, expectSuccess, until } from '../expect.ts'
import type { FaceRules } from '../face-context.ts'
import type { Answer, StartedFace } from '../started-face.ts'

const PATH = '/notes/import-from-file/'
const AUTHORIZATION = { authorization: 'Bearer x' }
const MULTIPART = 'content-type: multipart/form-data; boundary=x'
const START = '--x\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\n\r\ntext\r\n'
const FOLDER = new RegExp(`^viewset-upload-[0-9a-f]{8}-${process.pid}-`)

function form(...files: readonly string[]): FormData {
  const data = new FormData()
  for (const file of files) data.append('file', new Blob([file]), '../../rows.csv')
  data.append('append_data', 'true')
  return data
}

function upload(api: StartedFace, body: FormData, headers: Readonly<Record<string, string>> = AUTHORIZATION) {
  return api.ask(PATH, { method: 'POST', headers, body })
}

/** Viewset writes the process id into the name of an upload's folder. */
async function hasFile(): Promise<boolean> {
  const names = await readdir(tmpdir())
  return names.some(name => FOLDER.test(name))
}

function expectNoFiles(): Promise<void> {
  return until('the removal of the file', async () => !(await hasFile()))
}

interface Outcome {
  readonly processed: number
  readonly created: number
}

export const uploadRules: FaceRules = {
  'a file is imported': async context => {
    const api = await context.api()
    await context.store([])
    const rows = Array.from({ length: 3_000 }, (_, i) => `row ${i} ${'ü'.repeat(5)}\n`)
    const answer: Answer = await upload(api, form(`text\n${rows.join('')}`))
    expectSuccess(answer, 201)
    const { processed, created } = answer.data<Outcome>()
    assert.deepEqual({ processed, created }, { processed: rows.length, created: rows.length })
    assert.equal((await api.ask('/notes/?page_size=1')).envelope().count, rows.length)
    await expectNoFiles()
  },

  'who may not import hears it before the file comes': async context => {
    const api = await context.api()
    const connection = api.connect().send(api.head('POST', PATH, MULTIPART, 'content-length: 100000') + START)
    await until('an answer', () => connection.responses.length > 0)
    expectRefusal(connection.responses[0]!, 401)
    connection.socket.destroy()
    expectRefusal(await upload(api, form('text\na\n'), {}), 401)
    await expectNoFiles()
  },

  'a file that is too large is a 413': async context => {
    const api = await context.api()
    // The first size is known from its length, the second one only on arrival.
    for (const size of [120_000, 1_000_000]) expectRefusal(await upload(api, form('x'.repeat(size))), 413)
    const large = new Response(form('x'.repeat(1_000_000)))
    const chunked = await api.ask(PATH, {
      method: 'POST',
      headers: { ...AUTHORIZATION, 'content-type': String(large.headers.get('content-type')) },
      body: large.body,
      duplex: 'half',
    } as RequestInit)
    expectRefusal(chunked, 413)
    await expectNoFiles()
  },

  'what is no form with one file is refused': async context => {
    const api = await context.api()
    await context.store([])
    const send = (body: string, type: string) =>
      api.ask(PATH, { method: 'POST', headers: { ...AUTHORIZATION, 'content-type': type }, body })
    expectRefusal(await upload(api, form('text\na\n', 'text\nb\n')), 400)
    expectRefusal(await upload(api, form()), 400)
    expectRefusal(await send('{}', 'application/json'), 415)
    expectRefusal(await send('text', 'multipart/form-data'), 400)
    expectRefusal(await send(START, 'multipart/form-data; boundary=x'), 400)
    expectRefusal(await api.ask(PATH, { method: 'POST', headers: AUTHORIZATION }), 415)
    assert.deepEqual((await api.ask('/notes/')).data(), [])
    await expectNoFiles()
  },

  'a file that is cut off stores nothing, and is not kept': async context => {
    const api = await context.api()
    await context.store([])
    const connection = api.connect()
    const headers = [MULTIPART, 'authorization: Bearer x', 'content-length: 50000']
    connection.send(`${api.head('POST', PATH, ...headers)}${START}row\r\n`)
    await until('the file', hasFile)
    connection.socket.destroy()
    await expectNoFiles()
    assert.deepEqual((await api.ask('/notes/')).data(), [])
  },

  'a file that stops coming is a 408, and the connection ends': context =>
    context.with({ settings: { COMMON: { STALL_TIMEOUT: 250 } } }, async api => {
      const headers = [MULTIPART, 'authorization: Bearer x', 'content-length: 50000']
      const connection = api.connect().send(api.head('POST', PATH, ...headers) + START)
      await connection.closed
      assert.equal(connection.responses.length, 1)
      expectRefusal(connection.responses[0]!, 408, 'The upload stopped.')
      await expectNoFiles()
    }),
}
