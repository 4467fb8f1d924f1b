/** The API, for its server and for the command `viewset`. */
export const api = {
  prefix: '/api',
  resources: {},
  openapi: { info: { title: 'my-api', version: '1.0.0' } },
  // Each message has a stable code, for clients: docs/error-codes-and-translations.md of Viewset.
  errorCodes: true,
  schema: true,
  docs: true,
} as const
