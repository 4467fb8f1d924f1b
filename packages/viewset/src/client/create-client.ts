import type { Client, Resources } from './client-types.ts'
import { JobCalls } from './job-calls.ts'
import { type ClientOptions, type RequestOptions, whenFilled } from './options.ts'
import { named, ResourceCalls } from './resource-client.ts'
import { Sender } from './send.ts'

/**
 * Makes a client of an API. `R` is the type of the object registered on the server. All types of the calls come from
 * its classes, and none of their code is in the client's program.
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
  // Only the type knows the resources. Each name is a part of the URL.
  return named<unknown>(name => whenFilled(`/${name}`, path => new ResourceCalls(sender, path)), {
    $request,
    jobs: new JobCalls(sender),
  }) as unknown as Client<R>
}
