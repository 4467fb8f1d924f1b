import type { JsonSchema } from '../../kinds/json-schema.ts'
import { kindOf } from '../../kinds/kinds.ts'
import type { QueryParameter } from '../../query/query-parameters.ts'
import { recordNames } from '../../viewset/description/record-names.ts'
import { lookupOf } from '../../viewset/records-in-scope.ts'
import { findsDeleted } from '../../viewset/soft-delete/soft-delete-setting.ts'
import { type DescribedEndpoint, isAboutRecord } from '../api-description.ts'

/** A parameter in a path of Fastify's router: `:id`, `:id(\\d+)`, or `:year-:month`. Two colons stand for one. */
const PART = /(?<!:):([^:/(.-]+)(?:\((?:[^()]|\([^()]*\))*\))?/g

export function parametersOf(described: DescribedEndpoint): readonly JsonSchema[] {
  const { endpoint, description } = described
  const names = [...endpoint.path.matchAll(PART)].map(([, name = '']) => name)
  return [
    ...names.map(name => ({ name, in: 'path', required: true, ...pathPart(name, described) })),
    ...Object.entries(description.query ?? {}).map(([name, schema]) => parameter('query', name, schema)),
    ...Object.entries(description.headers ?? {}).map(([name, schema]) => parameter('header', name, schema)),
  ]
}

function pathPart(name: string, described: DescribedEndpoint): JsonSchema {
  const { registered } = described
  if (name !== 'id' || !registered || !isAboutRecord(described)) {
    return { description: `The \`${name}\` in the address.`, schema: { type: 'string' } }
  }
  const { definition } = registered.resource
  const { model, config } = definition
  const { action, isCustom = false } = described.endpoint
  const lookup = lookupOf({ definition, findsDeleted: !isCustom && findsDeleted(action) })
  if (!lookup) {
    const parts = model.key.map(({ wire }) => `\`${wire}\``).join(', ')
    const rule = 'with commas between them. In a part, a comma is written `~1` and a tilde `~0`.'
    return {
      description: `${parts} of the ${recordNames(registered.name, config).noun}, ${rule}`,
      schema: { type: 'string' },
    }
  }
  return {
    description: `The \`${lookup.wire}\` of the ${recordNames(registered.name, config).noun}.`,
    schema: kindOf(lookup).jsonSchema(lookup).input,
  }
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
