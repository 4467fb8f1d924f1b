import { type Column, eq } from 'drizzle-orm'
import { type ApiResponse, defineMixin, type Model, type ModelSerializer, required, setting } from 'viewset'

declare module 'viewset' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    IdempotencyMixin: { config: { readonly answers: Model }; methods: object }
  }
}

const KEY = { type: 'string', description: 'Names the request, so that it is carried out once.' }

/** Carries out a request with an `Idempotency-Key` once, and sends its first answer again. */
export const IdempotencyMixin = defineMixin('IdempotencyMixin', {
  settings: { answers: required(setting.any, 'give the table of the answers: key, answer') },
  describes: ({ method }) => (method === 'GET' ? {} : { headers: { 'Idempotency-Key': KEY } }),
  around: {
    isNeeded: ({ request, writes }) => writes && request.headers['idempotency-key'] !== undefined,
    run: async ({ request, method, user, config: { answers }, db }, next) => {
      const key = JSON.stringify([user?.id ?? null, method, request.url, request.headers['idempotency-key']])
      const isKey = eq(Reflect.get(answers, 'key') as Column, key)
      // A second request with the key waits here for the first one.
      const claimed = await db.insert(answers).values({ key }).onConflictDoNothing().returning()
      if (claimed.length === 0) {
        const [stored] = await db.select().from(answers).where(isKey)
        const answer = JSON.parse(String(stored?.answer)) as ApiResponse
        return { ...answer, headers: { ...answer.headers, 'idempotency-replayed': 'true' } }
      }
      const answer = await next()
      await db
        .update(answers)
        .set({ answer: JSON.stringify(answer) })
        .where(isKey)
      return answer
    },
  },
})
