import type { JsonSchema } from '../../kinds/json-schema.ts'
import { kindOf } from '../../kinds/kinds.ts'
import type { QueryParameter } from '../../query/query-parameters.ts'
import { type DescribedEndpoint, isAboutRecord } from '../api-description.ts'

/** A parameter in a path of Fastify's router: `:id`, `:id(\\d+)`, or `:year-:month`. Two colons stand for one. */
const PART = /(?<!:):([^:/(.-]+)(?:\((?:[^()]|\([^()]*\))*\))?/g

export function parametersOf(described: DescribedEndpoint): readonly JsonSchema[] {
  const { endpoint, description, registered } = described
  const names = [...endpoint.path.matchAll(PART)].map(([, name = '']) => name)
  const keySchema = (name: string): JsonSchema => {
    if (name !== 'id' || !registered || !isAboutRecord(described)) return { type: 'string' }
    const { primaryKey } = registered.resource.definition.model
    return kindOf(primaryKey).jsonSchema(primaryKey).input
  }
  return [
    ...names.map(name => ({ name, in: 'path', required: true, schema: keySchema(name) })),
    ...Object.entries(description.query ?? {}).map(([name, schema]) => parameter('query', name, schema)),
    ...Object.entries(description.headers ?? {}).map(([name, schema]) => parameter('header', name, schema)),
  ]
}

function parameter(
  place: 'query' | 'header',
  name: string,
  { description, required, purpose: _, field: __, lookup: ___, ...schema }: QueryParameter,
): JsonSchema {
  return {
    name,
    in: place,
    ...(required && { required }),
    ...(description !== undefined && { description }),
    schema,
    // A list is one parameter with commas between the items.
    ...(schema.type === 'array' && place === 'query' && { style: 'form', explode: false }),
  }
}

/** `/cities/:id/` -> `/cities/{id}/`. File names have no slash at the end. */
export function pathTemplate({ path }: { readonly path: string }): string {
  const template = path.replace(PART, '{$1}').replaceAll('::', ':')
  return /\.\w+\/$/.test(template) ? template.slice(0, -1) : template
}
