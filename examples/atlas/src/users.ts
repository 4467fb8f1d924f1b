import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { type ApiRequest, currentDb, type Database, NotAuthenticated, type Permission, type User } from 'viewset'
import type { Authenticate } from 'viewset/auth'
import type { Models } from './models.ts'

/** Everyone may read and export, although an export is a POST. Only an admin may write. */
export const IsAdminOrReadOnly: Permission = {
  hasPermission: ({ user, method, action }) =>
    method === 'GET' || method === 'HEAD' || action === 'export' || (user?.roles?.includes('admin') ?? false),
}

/** Their ids never change, because `created_by` refers to them. */
const USERS = [
  { id: '01900000-0000-7000-8000-00000000000a', username: 'admin', role: 'admin' },
  { id: '01900000-0000-7000-8000-00000000000b', username: 'reader', role: 'reader' },
] as const

export interface Tokens {
  readonly admin: string
  readonly reader: string
}

/** The tokens of the environment, or new ones. */
export function tokensFrom(environment: Readonly<Record<string, string | undefined>>): Tokens {
  const token = (name: string) => environment[name] || randomBytes(24).toString('base64url')
  return { admin: token('ATLAS_ADMIN_TOKEN'), reader: token('ATLAS_READER_TOKEN') }
}

export async function createUsers(database: Database, { users }: Models): Promise<void> {
  await database.transaction(async () => {
    await currentDb()
      .insert(users)
      .values([...USERS])
      .onConflictDoNothing()
  })
}

/** A user by the id that a job stores; `null` if the user does not exist any more. */
export function userById(id: string): User | null {
  const user = USERS.find(known => known.id === id)
  return user ? { id, roles: [user.role] } : null
}

/** Reads `Authorization: Bearer <token>`. The reference page asks for the token, and a 401 names the header. */
export function authenticateBy(tokens: Tokens): Authenticate {
  const known = USERS.map(({ id, username, role }) => ({
    user: { id, roles: [role] },
    digest: digest(tokens[username]),
  }))
  const authenticate = ({ headers }: ApiRequest) => {
    const { authorization } = headers
    if (authorization === undefined) return null
    const [, scheme, token] = /^(\S+) *(\S*)$/.exec(String(authorization)) ?? []
    if (scheme?.toLowerCase() !== 'bearer')
      throw new NotAuthenticated('Send the header "Authorization: Bearer <token>".')
    // Digests have one length, so the time of the comparison reveals nothing about the token.
    const match = token === undefined ? undefined : known.find(entry => timingSafeEqual(entry.digest, digest(token)))
    if (!match) throw new NotAuthenticated('The token is not valid.')
    return match.user
  }
  return Object.assign(authenticate, { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } as const)
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
