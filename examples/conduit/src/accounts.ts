import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { SignJWT } from 'jose'

const hash = promisify<string, Buffer, number, Buffer>(scrypt)

/** Passwords and tokens. */
export class Accounts {
  readonly #secret: Uint8Array

  constructor(secret: string) {
    this.#secret = new TextEncoder().encode(secret)
  }

  /** The stored form of a password: salt and hash. */
  async stored(password: string): Promise<string> {
    const salt = randomBytes(16)
    return `${salt.toString('hex')}:${(await hash(password, salt, 32)).toString('hex')}`
  }

  async matches(password: string, stored: string): Promise<boolean> {
    const [salt = '', expected = ''] = stored.split(':').map(part => Buffer.from(part, 'hex'))
    return timingSafeEqual(await hash(password, Buffer.from(salt), 32), Buffer.from(expected))
  }

  tokenOf(id: number): Promise<string> {
    return new SignJWT()
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(String(id))
      .setExpirationTime('60d')
      .sign(this.#secret)
  }
}
