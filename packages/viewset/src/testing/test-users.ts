import type { User } from '../core/context.ts'
import { NotAuthenticated } from '../core/errors.ts'
import type { Authenticate } from '../viewset/handle.ts'

/** Users as a test has them at hand: each is known by a number, which stands for a token. */
export class TestUsers {
  readonly #users: User[] = []

  /** The value of the `authorization` header by which {@link authenticate} knows `user`. */
  credentials(user: User): string {
    const known = this.#users.indexOf(user)
    return `Bearer ${known === -1 ? this.#users.push(user) - 1 : known}`
  }

  readonly authenticate: Authenticate = ({ headers: { authorization } }) => {
    if (authorization === undefined) return null
    const number = /^Bearer (\d+)$/.exec(String(authorization))?.[1]
    const user = number === undefined ? undefined : this.#users[Number(number)]
    if (!user) throw new NotAuthenticated('The token is not valid.')
    return user
  }
}
