/** What the API consists of: for its server, and for the command `viewset`. */
export const api = {
  prefix: '/api',
  resources: {},
  openapi: { info: { title: 'my-api', version: '1.0.0' } },
  schema: true,
  docs: true,
} as const
