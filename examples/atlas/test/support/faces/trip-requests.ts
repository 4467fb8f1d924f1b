import type { AtlasCopies, KnownKeys } from './atlas-copies.ts'
import { jsonRequest, type RecordedRequest, UNKNOWN_ID } from './recorded-request.ts'

/** A tag of any stored record, and one of no record. */
const ANY = { 'if-match': '*' }
const OLD = { 'if-match': '"1"' }

/** The requests about labels, trips and histories, in this order. */
export function tripRequests({ known, entries }: AtlasCopies): readonly RecordedRequest[] {
  return [...histories({ known, entries }), ...labels(known), ...trips(known)]
}

function histories({ known, entries }: Pick<AtlasCopies, 'known' | 'entries'>): readonly RecordedRequest[] {
  return (['regions', 'cities', 'trips'] as const).flatMap(resource => {
    const path = `/${resource}/${known[resource][0]}/`
    const { first, last } = entries[resource]
    const get = (query: string) => ({ method: 'GET', path: `${path}${query}`, as: 'admin' }) as const
    const revert = (body: object, headers?: RecordedRequest['headers']) =>
      jsonRequest('POST', `${path}revert/`, body, 'admin', headers)
    return [
      get('history/'),
      get('history/?page_size=1&page=2'),
      get(`history/diff/?from=${first}&to=${last}`),
      get(`history/diff/?from=${last}&to=${first}`),
      get(`history/diff/?from=${first}`),
      get(`history/diff/?from=${first}&to=999999`),
      get('?at=2000-01-01T00:00:00Z'),
      get('?at=2100-01-01T00:00:00Z'),
      revert({ entry: first }, OLD),
      revert({ entry: first }, { 'if-match': 'none' }),
      revert({ entry: 999_999 }, ANY),
      revert({ entry: first, fields: ['nme'] }, ANY),
      revert({ entry: 'first' }, ANY),
      revert({ entry: first }, ANY),
      // A trip requires the tag.
      revert({ entry: last }),
    ]
  })
}

function labels({ labels: [slug = ''], labelIds: [id = ''] }: KnownKeys): readonly RecordedRequest[] {
  const path = `/labels/${slug}/`
  const restore = { method: 'POST', path: `/labels/${id}/restore/`, as: 'admin' } as const
  return [
    { method: 'GET', path },
    { method: 'GET', path: `/labels/${id}/` },
    jsonRequest('POST', '/labels/', { name: 'By Train' }),
    jsonRequest('POST', '/labels/', { name: 'by train' }),
    jsonRequest('POST', '/labels/', { name: '', slug: 'Not a slug' }),
    jsonRequest('PUT', path, { name: 'Sea', slug }),
    jsonRequest('PATCH', path, { name: 'By sea' }),
    jsonRequest('PATCH', path, { slug: 'by-train' }),
    { method: 'DELETE', path, as: 'reader' },
    { method: 'DELETE', path, as: 'admin' },
    { method: 'GET', path },
    // The next label takes the slug, so the first one cannot come back.
    jsonRequest('POST', '/labels/', { name: 'Other', slug }),
    restore,
    jsonRequest('PATCH', path, { slug: 'other' }),
    restore,
    restore,
    { method: 'POST', path: `/labels/${slug}/restore/`, as: 'admin' },
    jsonRequest('POST', '/labels/export/', { file_type: 'csv', includes: ['slug', 'name'] }),
  ]
}

function trips(known: KnownKeys): readonly RecordedRequest[] {
  const { cities, labelIds, trips, stops } = known
  const [city = '', other = ''] = cities
  const [trip = ''] = trips
  const [first = '', second = '', ofOtherTrip = ''] = stops
  const path = `/trips/${trip}/`
  const body = { title: 'East', starts_on: '2026-05-01', labels: labelIds, stops: [{ city, position: 1, nights: 2 }] }
  const post = (changes: object) => jsonRequest('POST', '/trips/', { ...body, ...changes })
  const patch = (changes: object, headers?: RecordedRequest['headers']) =>
    jsonRequest('PATCH', path, changes, 'admin', headers)
  const swapped = {
    stops: [
      { id: first, position: 2 },
      { id: second, position: 1 },
    ],
  }
  const tagged = { as: 'admin', headers: ANY } as const
  return [
    post({}),
    post({ labels: [...labelIds, UNKNOWN_ID] }),
    post({ labels: ['sea'] }),
    post({ labels: [...labelIds, ...labelIds] }),
    post({ stops: [{ city, position: 0, nights: -1 }, { city: UNKNOWN_ID }, 5] }),
    post({
      stops: [
        { city, position: 1 },
        { city: other, position: 1 },
      ],
    }),
    post({ stops: [{ id: first, city, position: 1 }] }),
    post({ stops: 'Oslo' }),
    post({ status: 'cancelled', ends_on: '2026-02-30' }),
    post({ ends_on: '2026-04-30' }),
    jsonRequest('POST', '/trips/', body, 'reader'),
    { method: 'GET', path, as: 'admin' },
    { method: 'GET', path, as: 'reader' },
    { method: 'GET', path: '/trips/?stops__city__country__code=NO&labels__slug=sea', as: 'admin' },
    { method: 'GET', path: '/trips/?or=(status=done,and(labels__slug=sea,not(starts_on__year=2025)))', as: 'admin' },
    { method: 'GET', path: '/trips/?or=(status=done,title=North)', as: 'admin' },
    patch(swapped),
    patch(swapped, OLD),
    patch(swapped, { 'if-match': 'none' }),
    patch({ ...swapped, _etag: '"1"' }),
    patch({ stops: [{ id: ofOtherTrip, position: 3 }] }, ANY),
    patch({ stops: [{ id: UNKNOWN_ID, position: 3 }] }, ANY),
    patch({ stops: [{ id: first, nights: 366, note: 5 }] }, ANY),
    patch({ stops: [{ id: first }, { id: first }] }, ANY),
    patch({ labels: [UNKNOWN_ID] }, ANY),
    patch(swapped, ANY),
    jsonRequest('PUT', path, body),
    jsonRequest('PUT', path, body, 'admin', OLD),
    jsonRequest('PUT', path, { title: '' }, 'admin', ANY),
    jsonRequest('PUT', path, { ...body, stops: [{ id: second, city, position: 1 }], labels: [] }, 'admin', ANY),
    { method: 'DELETE', path, as: 'admin' },
    { method: 'DELETE', path, as: 'admin', headers: OLD },
    { method: 'DELETE', path, ...tagged },
    { method: 'DELETE', path, ...tagged },
    { method: 'POST', path: `${path}restore/`, as: 'admin' },
    { method: 'POST', path: `${path}restore/`, as: 'admin', headers: OLD },
    { method: 'POST', path: `${path}restore/`, ...tagged },
    jsonRequest('POST', '/trips/export/', { file_type: 'csv', includes: ['title', 'status'] }),
    jsonRequest('POST', '/trips/export/', { file_type: 'xlsx', includes: ['title', 'stops'] }),
  ]
}
