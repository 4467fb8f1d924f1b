import { expect } from 'vitest'

const CSV = 'isbn,title,author,price\n9780141439518,Pride and Prejudice,Jane Austen,9.90\n2,,Nobody,free\n'

/** Does with the books of an example what its users would: it shows whether all of a face works. */
export async function useBooks(address: string, key: string): Promise<void> {
  const ask = async (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) => {
    const isForm = body instanceof FormData
    const response = await fetch(`${address}/api${path}`, {
      method,
      headers: { ...(body !== undefined && !isForm && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, text, json: () => JSON.parse(text) }
  }
  const admin = { 'x-api-key': key }
  const emma = { isbn: '9780141439587', title: 'Emma', author: 'Jane Austen', price: '7.50' }

  const refused = await ask('POST', '/books/', emma)
  // `apiKey` adds the header to send. An application's own function, as in Nest, has no such hint.
  expect([refused.status, refused.json()]).toEqual([
    401,
    error(
      expect.stringMatching(/^Authentication credentials were not provided\.( Send the header "x-api-key: <key>"\.)?$/),
    ),
  ])
  const wrong = await ask('POST', '/books/', { ...emma, price: 'free' }, admin)
  expect([wrong.status, wrong.json()]).toEqual([
    400,
    {
      ...error('"free" is not a number. Write it like 90.5.'),
      errors: { price: ['"free" is not a number. Write it like 90.5.'] },
    },
  ])
  const created = await ask('POST', '/books/', emma, admin)
  const { id } = created.json().data
  expect([created.status, created.json().data]).toEqual([201, { id, ...emma }])
  expect((await ask('PATCH', `/books/${id}/`, { price: null }, admin)).json().data).toEqual({
    id,
    ...emma,
    price: null,
  })

  const form = new FormData()
  form.set('file', new File([CSV], 'books.csv'))
  form.set('append_data', 'true')
  const imported = await ask('POST', '/books/import-from-file/', form, admin)
  expect([imported.status, imported.json().data]).toMatchObject([207, { processed: 2, created: 1, failed: 1 }])
  const exported = await ask('POST', '/books/export/', { file_type: 'csv' }, admin)
  expect(exported.text.split('\r\n')).toEqual([
    'ISBN,Title,Author,Price',
    '9780141439587,Emma,Jane Austen,',
    '9780141439518,Pride and Prejudice,Jane Austen,9.90',
    '',
  ])

  const list = (await ask('GET', '/books/?page_size=1&ordering=-title')).json()
  expect([list.count, list.next, list.data.map(({ title }: { title: string }) => title)]).toEqual([
    2,
    `${address}/api/books/?page_size=1&ordering=-title&page=2`,
    ['Pride and Prejudice'],
  ])
  expect((await ask('DELETE', `/books/${id}/`, undefined, admin)).status).toBe(204)
  const gone = await ask('GET', `/books/${id}/`)
  expect([gone.status, gone.json()]).toEqual([404, error('There is no such record, or you may not see it.')])
  const nowhere = await ask('GET', '/nothing/')
  expect([nowhere.status, nowhere.json()]).toEqual([404, error('There is nothing at this address.')])
}

function error(message: string) {
  return { success: false, timestamp: expect.any(String), message, data: null }
}
