import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, beforeEach, test } from 'node:test'
import { startTestApi } from './support/api.ts'

const api = await startTestApi()
beforeEach(() => api.clear())
after(() => api.close())

const ann = { id: 'ann' }

test('every client may read, and a user may write', async () => {
  const refused = await api.post('/authors/', { name: 'Jane Austen' })
  assert.equal(refused.status, 401)
  const author = await api.post('/authors/', { name: 'Jane Austen' }, { as: ann })
  assert.equal(author.status, 201)

  const book = { isbn: '9780141439518', title: 'Pride and Prejudice', author: author.data().id, price: '9.90' }
  const created = await api.post('/books/', book, { as: ann })
  assert.equal(created.status, 201)

  const found = await api.get('/books/?search=austen')
  assert.deepEqual(found.data(), [{ ...created.data(), index: 1 }])
})

test('errors are reported field by field', async () => {
  const refused = await api.post('/books/', { title: 'Emma', price: '9.999' }, { as: ann })
  assert.equal(refused.status, 400)
  assert.deepEqual(Object.keys(refused.envelope().errors ?? {}).sort(), ['author', 'isbn', 'price'])
})

test('a spreadsheet is imported, and comes out again', async () => {
  const body = new FormData()
  body.set('file', new Blob([await readFile('books.csv')]), 'books.csv')
  body.set('append_data', 'true')
  const imported = await api.request('POST', '/books/import-from-file/', { as: ann, body })
  assert.equal(imported.status, 201)
  assert.equal(imported.data().created, 4)

  const exported = await api.post(
    '/books/export/',
    { file_type: 'csv', includes: ['title', 'author__name'] },
    { as: ann },
  )
  assert.deepEqual(exported.text.trimEnd().split('\r\n'), [
    'Title,Author',
    'Dracula,Bram Stoker',
    'Frankenstein,Mary Shelley',
    'Pride and Prejudice,Jane Austen',
    'Sense and Sensibility,Jane Austen',
  ])
})
