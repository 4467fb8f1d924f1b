import { createClient } from 'viewset/client'
import type { api } from '../api.ts'
import { answer } from '../handler.ts'

// The books are read for each request, and not when the application is built.
export const dynamic = 'force-dynamic'

/** On the server, the client asks the handler itself. In a browser, leave `fetch` out: it asks over the network. */
const client = createClient<typeof api.resources>({
  baseUrl: 'http://localhost/api',
  fetch: (address, init) => answer(new Request(address, init)),
})

export default async function Books() {
  const { count, items } = await client.books.list({ ordering: 'title' })
  return (
    <main>
      <h1>{count} books</h1>
      <ul>
        {items.map(({ id, title, author }) => (
          <li key={id}>
            {title} by {author.name}
          </li>
        ))}
      </ul>
      <a href="/api/docs/">The API</a>
    </main>
  )
}
