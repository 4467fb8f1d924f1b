import { validate as validateByHyperjump } from '@hyperjump/json-schema/openapi-3-1'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { JsonSchema, OpenApiDocument } from 'viewset'

/** Those of Django end with a slash, and so do ours, on purpose. */
const BY_DESIGN = { 'no-path-trailing-slash': 'off' } as const

/** The faults of a document, for two validators that share no code, a linter and generators of clients. */
export async function faultsOf(document: OpenApiDocument): Promise<readonly unknown[]> {
  const text = JSON.stringify(document)
  const { valid, errors } = await new Validator().validate(JSON.parse(text))
  const validate = await validateByHyperjump('https://spec.openapis.org/oas/3.1/schema-base')
  const second = validate(JSON.parse(text), 'DETAILED')
  const config = await createConfig({ extends: ['recommended'], rules: BY_DESIGN })
  const problems = await lintFromString({ source: text, config })
  return [
    ...(valid ? [] : [errors]),
    ...(second.valid ? [] : [second]),
    ...problems.map(({ ruleId, message, location: [at] }) => `${ruleId}: ${message} ${at?.pointer}`),
    ...mixedUnions(document, document.components?.schemas ?? {}),
  ]
}

/**
 * Each `anyOf` of objects and other values, by its place. An `anyOf` may be several at once, so generators make one
 * class of it, and refuse a text among the objects. They make an interface of `oneOf`.
 */
function mixedUnions(part: unknown, schemas: Readonly<Record<string, JsonSchema>>, at = ''): readonly string[] {
  if (typeof part !== 'object' || part === null) return []
  const isObject = ({ $ref, type, allOf }: JsonSchema): boolean =>
    $ref === undefined
      ? type === 'object' || allOf !== undefined
      : isObject(schemas[String($ref).split('/').at(-1) ?? ''] ?? {})
  const { anyOf } = part as { readonly anyOf?: readonly JsonSchema[] }
  const values = Array.isArray(anyOf) ? anyOf.filter(({ type }) => type !== 'null') : []
  const isMixed = values.some(isObject) && !values.every(isObject)
  const inside = Object.entries(part).flatMap(([name, inner]) => mixedUnions(inner, schemas, `${at}/${name}`))
  return isMixed ? [`mixed anyOf: ${at}`, ...inside] : inside
}
