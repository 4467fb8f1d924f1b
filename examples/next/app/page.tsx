import { createClient } from 'viewset/client'
import { handler, type resources } from '@/lib/api'

// What is listed is read for each request, and not when the application is built.
export const dynamic = 'force-dynamic'

/** On the server, the client asks the handler itself; in a browser, leave `fetch` out: it asks over the network. */
const client = createClient<typeof resources>({
  baseUrl: 'http://localhost/api',
  fetch: (address, init) => handler(new Request(address, init)),
})

export default async function Books() {
  const { count, items } = await client.books.list({ ordering: 'title' })
  return (
    <main>
      <h1>{count} books</h1>
      <ul>
        {items.map(({ id, title, author, price }) => (
          <li key={id}>
            {title} by {author}
            {price === null ? null : `, ${price} €`}
          </li>
        ))}
      </ul>
    </main>
  )
}
