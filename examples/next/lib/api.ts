import { apiKey, hashApiKey } from 'viewset/auth'
import { createHandler } from 'viewset/fetch'
import { BookViewSet } from './books'
import { database } from './database'

const { API_KEY } = process.env

export const resources = { books: BookViewSet }

export const handler = createHandler({
  prefix: '/api',
  database,
  resources,
  // Everybody reads; who sends the key in the header X-Api-Key does the rest.
  authenticate: apiKey({ keys: API_KEY ? { [hashApiKey(API_KEY)]: { id: 'admin' } } : {} }),
})
