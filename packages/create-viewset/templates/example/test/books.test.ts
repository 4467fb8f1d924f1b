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

/** Sends a file to the import of books. */
function importBooks(text: string) {
  const body = new FormData()
  body.set('file', new Blob([text]), 'books.csv')
  body.set('append_data', 'true')
  return api.request('POST', '/books/import-from-file/', { as: ann, body })
}

test('a spreadsheet is imported, and the export can be imported again', async () => {
  const imported = await importBooks(await readFile('books.csv', 'utf8'))
  assert.equal(imported.status, 201)
  assert.equal(imported.data().created, 4)

  const exported = await api.post('/books/export/', { file_type: 'csv' }, { as: ann })
  assert.deepEqual(exported.text.trimEnd().split('\r\n'), [
    'ISBN,Title,Author,Price,Published',
    '9780141439846,Dracula,Bram Stoker,,1897-05-26',
    '9780141439471,Frankenstein,Mary Shelley,7.95,1818-01-01',
    '9780141439518,Pride and Prejudice,Jane Austen,9.90,1813-01-28',
    '9780141439662,Sense and Sensibility,Jane Austen,8.50,1811-10-30',
  ])
  const again = await importBooks(exported.text.replace('Bram Stoker', 'B. Stoker'))
  assert.equal(again.data().updated, 4)
  assert.match((await api.get('/books/?search=stoker')).text, /"B\. Stoker"/)
})
