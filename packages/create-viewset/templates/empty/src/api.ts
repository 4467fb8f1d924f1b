/** The API, for its server and for the command `viewset`. */
export const api = {
  prefix: '/api',
  resources: {},
  openapi: { info: { title: 'my-api', version: '1.0.0' } },
  schema: true,
  docs: true,
  /** Errors have codes for programs beside their messages for people. */
  errorCodes: true,
} as const
