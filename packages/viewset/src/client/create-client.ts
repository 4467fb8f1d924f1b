import { whenFilled } from './address.ts'
import type { Client, Resources } from './client-types.ts'
import { JobCalls } from './job-calls.ts'
import type { ClientOptions, RequestOptions } from './options.ts'
import { named, ResourceCalls } from './resource-client.ts'
import { Sender } from './send.ts'

/**
 * Makes a client of an API. `R` is the type of the object that is registered on the server: all that a call takes and
 * gives is inferred from its classes, and nothing of them is in the program.
 *
 * @example
 * import type { resources } from './resources.ts'
 *
 * const client = createClient<typeof resources>({ baseUrl: 'https://api.example.org/api', token: readToken })
 * const { items } = await client.articles.list({ title__icontains: 'engine', ordering: '-title' })
 */
export function createClient<R extends Resources>(options: ClientOptions): Client<R> {
  const sender = new Sender(options)
  const $request = (method: string, path: string, how?: RequestOptions) => sender.send(method, path, how)
  // Only the type knows which resources there are: whatever is asked for has an address of its name.
  return named<unknown>(name => whenFilled(`/${name}`, path => new ResourceCalls(sender, path)), {
    $request,
    jobs: new JobCalls(sender),
  }) as unknown as Client<R>
}
