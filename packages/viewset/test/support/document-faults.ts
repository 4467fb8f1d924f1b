import { validate as validateByHyperjump } from '@hyperjump/json-schema/openapi-3-1'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { OpenApiDocument } from 'viewset'

/** Those of Django end with a slash, and so do ours, on purpose. */
const BY_DESIGN = { 'no-path-trailing-slash': 'off' } as const

/** What two validators, which share no code, and a linter have to say of a document; nothing, where all is well. */
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
  ]
}
