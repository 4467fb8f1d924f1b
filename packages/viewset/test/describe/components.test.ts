import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { Components } from '../../src/describe/openapi/components.ts'

const TEXT = { type: 'string' }
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

function added(...schemas: readonly object[]) {
  const components = new Components()
  const shown = schemas.map((schema, index) => components.add({ ...schema }, `Place${index}`))
  return { shown, schemas: components.schemas }
}

describe('components of a document', () => {
  test('are the schemas with a title, wherever they occur', () => {
    const author = { title: 'Author', ...TEXT }
    const { shown, schemas } = added({ anyOf: [author, { type: 'null' }] }, { type: 'array', items: author })
    expect(shown).toEqual([{ anyOf: [ref('Author'), { type: 'null' }] }, { type: 'array', items: ref('Author') }])
    expect(schemas).toEqual({ Author: author })
  })

  test('have names of letters and digits', () => {
    expect(Object.keys(added({ title: 'created by: a 2nd user', ...TEXT }).schemas)).toEqual(['CreatedByA2ndUser'])
  })

  test('of one title and the same content are one, made twice or not', () => {
    const { shown, schemas } = added({ title: 'Author', ...TEXT }, { title: 'Author', ...TEXT })
    expect(shown).toEqual([ref('Author'), ref('Author')])
    expect(Object.keys(schemas)).toEqual(['Author'])
  })

  test('of one title and other content are named by where they stand', () => {
    const { shown } = added(
      { title: 'Author', ...TEXT },
      { title: 'Author', type: 'integer' },
      { properties: { by: { title: 'Author', type: 'null' } } },
    )
    expect(shown).toEqual([ref('Author'), ref('Place1'), { properties: { by: ref('Place2By') } }])
  })

  test('have the name that is kept for them, whatever has the same title before', () => {
    const components = new Components()
    const own = { title: 'Author', ...TEXT }
    const second = { title: 'Author', type: 'integer' }
    const same = { title: 'Author', ...TEXT }
    const short = { title: 'Author', type: 'null' }
    components.reserve(own, 'Authors')
    components.reserve(second, 'Writers')
    components.reserve(same, 'People')
    const shown = [{ properties: { author: short } }, own, second, same].map(schema =>
      components.add(schema, 'Article'),
    )
    expect(shown).toEqual([
      { properties: { author: ref('AuthorReference') } },
      ref('Author'),
      ref('WritersAuthor'),
      ref('Author'),
    ])
    expect(Object.keys(components.schemas)).toEqual(['Author', 'AuthorReference', 'WritersAuthor'])
  })

  test('are a reference where a short form of a record has its title; a second short form is named by where it stands', () => {
    const components = new Components()
    components.reserve({ title: 'Author', type: 'object' }, 'Authors')
    components.reserve({ title: 'AuthorInput', type: 'object' }, 'Authors')
    const short = [
      { title: 'Author', ...TEXT },
      { title: 'AuthorInput', ...TEXT },
      { title: 'Author', type: 'null' },
    ]
    const shown = short.map(schema => components.add({ properties: { by: schema } }, 'Article'))
    const names = ['AuthorReference', 'AuthorReferenceInput', 'ArticleBy']
    expect(shown).toEqual(names.map(name => ({ properties: { by: ref(name) } })))
  })

  test('may hold what was made a component before', () => {
    const components = new Components()
    const author = components.add({ title: 'Author', ...TEXT }, '')
    expect(components.add({ title: 'AuthorResponse', properties: { data: author } }, '')).toEqual(ref('AuthorResponse'))
    expect(components.schemas.AuthorResponse).toMatchObject({ properties: { data: ref('Author') } })
  })

  test('leave the name of another one to it', () => {
    const components = new Components()
    components.add({ title: 'Error', ...TEXT }, '')
    const own = { title: 'Error', type: 'integer' }
    components.reserve(own, 'Faults')
    expect(components.add(own, 'Place')).toEqual(ref('FaultsError'))
  })

  test('leave what only looks like a schema as it is', () => {
    const schema = { enum: [{ title: 'Not a schema' }], default: { title: 'Nor this' }, additionalProperties: false }
    expect(added(schema).shown).toEqual([schema])
  })

  test('take the title of a property for a property', () => {
    expect(added({ properties: { title: TEXT } }).shown).toEqual([{ properties: { title: TEXT } }])
  })
})

describe('schemas of Zod', () => {
  const addedZod = (...types: readonly z.ZodType[]) => added(...types.map(type => z.toJSONSchema(type)))

  test('are named by their id', () => {
    const Rating = z.object({ stars: z.string() }).meta({ id: 'Rating', title: 'What somebody said' })
    const { shown, schemas } = addedZod(Rating, z.array(Rating))
    expect(shown).toEqual([ref('Rating'), { type: 'array', items: ref('Rating') }])
    expect(Object.keys(schemas)).toEqual(['Rating'])
  })

  test('may contain themselves, by a getter', () => {
    const Tree = z.object({
      name: z.string(),
      get branches() {
        return z.array(Tree)
      },
    })
    const { shown, schemas } = addedZod(Tree, z.array(Tree))
    const described = (name: string) => ({
      type: 'object',
      properties: { name: TEXT, branches: { type: 'array', items: ref(name) } },
      required: ['name', 'branches'],
      additionalProperties: false,
    })
    expect(shown).toEqual([ref('Place0'), { type: 'array', items: ref('Place1') }])
    expect(schemas).toEqual({ Place0: described('Place0'), Place1: described('Place1') })
  })

  test('may contain themselves, by z.lazy', () => {
    const Words: z.ZodType = z.lazy(() => z.union([z.string(), z.array(Words)]))
    const { shown, schemas } = addedZod(z.object({ words: Words }))
    expect(shown).toMatchObject([{ properties: { words: ref('Place0Words') } }])
    expect(schemas).toEqual({ Place0Words: { anyOf: [TEXT, { type: 'array', items: ref('Place0Words') }] } })
  })

  test('are told apart where only what they refer to differs', () => {
    const pair = (inner: object) => ({
      $defs: { Outer: { properties: { inner: { $ref: '#/$defs/Inner' } } }, Inner: inner },
      $ref: '#/$defs/Outer',
    })
    const { shown, schemas } = added(pair(TEXT), pair({ type: 'null' }))
    expect(shown).toEqual([ref('Outer'), ref('Place1')])
    expect(schemas).toEqual({
      Inner: TEXT,
      Outer: { properties: { inner: ref('Inner') } },
      Place1: { properties: { inner: ref('Place1Inner') } },
      Place1Inner: { type: 'null' },
    })
  })

  test('that refer to what is not there are an error which says so', () => {
    expect(() => added({ $ref: '#/$defs/Missing' })).toThrow('A JSON Schema refers to #/$defs/Missing')
  })
})
