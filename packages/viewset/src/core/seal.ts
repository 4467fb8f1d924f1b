import { createCipheriv, createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'

/** Bytes of the signature, which is also what the text is encrypted with. */
const SIGNATURE = 16

/**
 * Seals a text: nobody without the key can read it, nor make one that {@link unseal} takes. It opens only for the same
 * `purpose`. The same text always gives the same seal.
 *
 * Signed first and encrypted by the signature (the construction of RFC 5297, with HMAC-SHA-256 and AES-256-CTR), since
 * what stands in it may be of no business to whoever holds it.
 */
export function seal(key: string, purpose: string, text: string): string {
  const signature = sign(key, purpose, text)
  const cipher = createCipheriv('aes-256-ctr', cipherKey(key), signature)
  return Buffer.concat([signature, cipher.update(text, 'utf8'), cipher.final()]).toString('base64url')
}

/** What was sealed for this purpose; `undefined` for anything else. */
export function unseal(key: string, purpose: string, sealed: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64url')
  // Node passes over what is no base64url; one text has one seal.
  if (bytes.length <= SIGNATURE || bytes.toString('base64url') !== sealed) return undefined
  const signature = bytes.subarray(0, SIGNATURE)
  const cipher = createDecipheriv('aes-256-ctr', cipherKey(key), signature)
  const text = Buffer.concat([cipher.update(bytes.subarray(SIGNATURE)), cipher.final()]).toString('utf8')
  return timingSafeEqual(signature, sign(key, purpose, text)) ? text : undefined
}

function sign(key: string, purpose: string, text: string): Buffer {
  const signature = createHmac('sha256', `viewset signature ${key}`)
    .update(JSON.stringify([purpose, text]))
    .digest()
  return signature.subarray(0, SIGNATURE)
}

/** Not the key that signs: each is used for one thing. */
function cipherKey(key: string): Buffer {
  return createHmac('sha256', `viewset cipher ${key}`).digest()
}
