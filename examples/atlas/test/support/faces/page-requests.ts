import type { RecordedRequest } from './recorded-request.ts'

/** The pages that describe the API, and all that its reference page loads. */
export function pageRequests(page: string): readonly RecordedRequest[] {
  const files = [...page.matchAll(/(?:src|href)="(?!https?:|data:|#)([^"]+)"/g)].map(([, file = '']) =>
    new URL(file, 'http://atlas.test/docs/').href.slice('http://atlas.test'.length),
  )
  const paths = [
    '',
    '/',
    '/openapi.json',
    '/openapi.json/',
    '/schema',
    '/docs',
    '/docs/',
    ...files,
    '/docs/nothing.js',
    '/nothing/',
  ]
  return paths.flatMap(path => [
    { method: 'GET', path, headers: { 'x-request-id': 'asked-by-a-test' } },
    ...['GET', 'HEAD', 'OPTIONS', 'POST'].map(method => ({ method, path, as: 'admin' as const })),
  ])
}
