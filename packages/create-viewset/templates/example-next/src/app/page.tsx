import { createClient } from 'viewset/client'
import type { api } from '../api.ts'
import { answer } from '../handler.ts'

// The page reads the books for each request, and not when the application is built.
export const dynamic = 'force-dynamic'

/** On the server, the client calls the handler. In a browser, leave `fetch` out. */
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
