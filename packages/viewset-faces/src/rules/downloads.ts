import assert from 'node:assert/strict'
import { expectRefusal, until } from '../expect.ts'
import type { FaceRules } from '../face-context.ts'
import { FILE, SECRET } from '../sample-api.ts'

const isSecret = (error: unknown) => (error as { readonly message?: unknown }).message === SECRET

export const downloadRules: FaceRules = {
  'a file comes byte by byte as it is, with its name': async context => {
    const api = await context.api()
    const answer = await api.ask('/notes/file/')
    assert.equal(answer.status, 200)
    assert.ok(FILE.equals(answer.bytes), 'The bytes are those of the file.')
    assert.equal(answer.headers['content-type'], 'application/octet-stream')
    assert.equal(answer.headers['x-content-type-options'], 'nosniff')
    assert.match(
      String(answer.headers['content-disposition']),
      /^attachment; filename="[\x20-\x7e]+"; filename\*=UTF-8''%C3%9Cbersicht[^"\s]+$/,
    )
  },

  'a header that an action gives is the only one of its name, however it is written': async context => {
    const api = await context.api()
    const answer = await api.ask('/notes/inline/')
    assert.equal(answer.headers['content-disposition'], 'inline')
    assert.ok(FILE.equals(answer.bytes), 'The bytes are those of the file.')
  },

  'an export is a file': async context => {
    const api = await context.api()
    await context.store(['one'])
    const answer = await api.send('POST', '/notes/export/', { file_type: 'csv', includes: ['text'] })
    assert.equal(answer.status, 200)
    assert.equal(answer.text, 'Text\r\none\r\n')
    assert.match(String(answer.headers['content-disposition']), /^attachment; filename="notes_\d{8}_\d{6}\.csv"$/)
    expectRefusal(await api.send('POST', '/notes/export/', { file_type: 'csv', includes: ['no'] }), 400)
  },

  'a long list comes whole, in one envelope': async context => {
    const api = await context.api()
    await context.store(Array.from({ length: 300 }, (_, i) => `note ${i}`))
    const { data } = (await api.ask('/pages/?paginated=false')).envelope<readonly unknown[]>()
    assert.equal(data.length, 300)
  },

  'a file that fails half-way never ends like a whole one': async context => {
    const api = await context.api()
    let received = ''
    const reading = async () => {
      const response = await fetch(`${api.url}/notes/broken/`)
      assert.equal(response.status, 200)
      const decoder = new TextDecoder('latin1')
      for await (const chunk of response.body ?? []) received += decoder.decode(chunk)
    }
    await assert.rejects(reading)
    assert.ok(received.length <= 3 * FILE.length && !received.includes(SECRET))
    const isLogged = () => api.log.some(({ err, message }) => message === 'an answer broke off' && isSecret(err))
    await until('the reason in the log', isLogged)
  },
}
