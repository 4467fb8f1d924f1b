import type { EnvelopePlace, EnvelopeSchema, ErrorHandler, ProjectEnvelope, RequestBody } from 'viewset'

/** The name of one record of each table, and of each resource. */
const ONE: Readonly<Record<string, string>> = {
  articles: 'article',
  'articles/feed': 'article',
  'articles/:article/comments': 'comment',
  comments: 'comment',
  profiles: 'profile',
  tags: 'tag',
  user: 'user',
  users: 'user',
}

const nameOf = (resource = '') => ONE[resource] ?? resource

const wrapped: ProjectEnvelope = ({ data, links, resource }) => {
  const one = nameOf(resource)
  // Tags are only their names.
  const shown = resource === 'tags' ? (data as { name: string }[]).map(tag => tag.name) : renamed(data, camelCase)
  return Array.isArray(data) ? { [`${one}s`]: shown, [`${one}sCount`]: links?.count ?? data.length } : { [one]: shown }
}

/** `{"article": {...}}` for one record, `{"articles": [...], "articlesCount": 2}` for several. */
export const envelope: ProjectEnvelope = Object.assign(wrapped, {
  schema: (data: EnvelopeSchema, { resource }: EnvelopePlace) => {
    const one = nameOf(resource)
    if (!isList(data)) return objectOf({ [one]: renamedSchema(data) })
    const list = resource === 'tags' ? { type: 'array', items: { type: 'string' } } : renamedSchema(data)
    return objectOf({ [`${one}s`]: list, [`${one}sCount`]: { type: 'integer' } })
  },
})

const unwrapped: RequestBody = (body, { resource }) => {
  return renamed(Reflect.get(Object(body), nameOf(resource)) ?? {}, snakeCase)
}

/** The body is in the member with the name of the record: `{"article": {...}}`. */
export const requestBody: RequestBody = Object.assign(unwrapped, {
  schema: (body: EnvelopeSchema, { resource, action }: EnvelopePlace) => {
    // A PUT may leave fields out.
    const { required, ...partial } = renamedSchema(body)
    return objectOf({ [nameOf(resource)]: action === 'update' || !required ? partial : { ...partial, required } })
  },
})

const STATUSES: Readonly<Record<number, string>> = { 403: 'forbidden', 404: 'not found' }

const refused: ErrorHandler = ({ status, code, message, errors, resource, table = resource }) => {
  const name = resource === 'profiles' ? 'profile' : nameOf(table)
  if (code === 'not_authenticated') return { body: { errors: { token: ['is missing'] } } }
  if (code === 'invalid_credentials') return { body: { errors: { credentials: [message] } } }
  if (STATUSES[status]) return { body: { errors: { [name]: [STATUSES[status]] } } }
  if (status !== 400) return { body: { errors: { body: [message] } } }
  const all = Object.entries(errors).map(([field, texts]) => [camelCase(field), texts.map(text => text.message)])
  const isTaken = Object.values(errors).every(texts => texts.every(text => text.code === 'unique'))
  return { status: isTaken ? 409 : 422, body: { errors: Object.fromEntries(all) } }
}

/** `{"errors": {"title": ["can't be blank"]}}` */
export const errorHandler: ErrorHandler = Object.assign(refused, {
  schema: objectOf({
    errors: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
  }),
})

export const messages = {
  en: { required: "can't be blank", blank: "can't be blank", unique: 'has already been taken' },
}

const camelCase = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
const snakeCase = (name: string) => name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** The same JSON with other names in its objects. */
function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map(item => renamed(item, rename))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [rename(name), renamed(inner, rename)]))
}

function isList({ type, anyOf = [] }: EnvelopeSchema): boolean {
  return type === 'array' || (anyOf as readonly EnvelopeSchema[]).some(isList)
}

function objectOf(properties: Readonly<Record<string, EnvelopeSchema>>): EnvelopeSchema {
  return { type: 'object', properties, required: Object.keys(properties) }
}

/** The schema of the same JSON with names in camelCase. */
function renamedSchema(schema: EnvelopeSchema): EnvelopeSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      switch (keyword) {
        case 'properties':
          return [keyword, renamedProperties(value as Readonly<Record<string, EnvelopeSchema>>)]
        case 'required':
          return [keyword, (value as readonly string[]).map(camelCase)]
        case 'examples':
          return [keyword, renamed(value, camelCase)]
        case 'items':
          return [keyword, renamedSchema(value as EnvelopeSchema)]
        case 'allOf':
        case 'anyOf':
          return [keyword, (value as readonly EnvelopeSchema[]).map(renamedSchema)]
        default:
          return [keyword, value]
      }
    }),
  )
}

function renamedProperties(properties: Readonly<Record<string, EnvelopeSchema>>): EnvelopeSchema {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [camelCase(name), renamedSchema(property)]),
  )
}
