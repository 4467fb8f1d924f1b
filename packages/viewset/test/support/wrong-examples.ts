import type { OpenApiDocument } from 'viewset'
import { DescribedApi } from './described-api.ts'

interface PlacedExample {
  /** Where its schema stands. */
  readonly schema: string
  readonly value: unknown
}

/** All examples of a document: those of schemas, and those of media types. */
export function examplesOf(value: unknown, place = '#'): readonly PlacedExample[] {
  if (typeof value !== 'object' || value === null) return []
  const { examples, example, schema } = value as Readonly<Record<string, unknown>>
  return [
    ...(Array.isArray(examples) ? examples.map(value => ({ schema: place, value })) : []),
    ...(example !== undefined && schema !== undefined ? [{ schema: `${place}/schema`, value: example }] : []),
    ...Object.entries(value)
      .filter(([key]) => key !== 'examples' && key !== 'example')
      .flatMap(([key, part]) => examplesOf(part, `${place}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)),
  ]
}

/** The examples of a document that their schemas do not accept. */
export function wrongExamplesOf(document: OpenApiDocument): readonly unknown[] {
  const described = DescribedApi.of(document)
  return examplesOf(document).flatMap(({ schema, value }) => {
    const errors = described.errorsOf(schema, value)
    return errors === undefined ? [] : [{ schema, value, errors }]
  })
}
