import { pascalCase } from '../../core/text.ts'
import type { JsonSchema } from '../../kinds/json-schema.ts'

/** Keywords whose value is a schema, a list of schemas, or schemas by name (JSON Schema 2020-12, 10). */
const ONE = new Set(['additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'])
const LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const BY_NAME = new Set(['dependentSchemas', 'patternProperties', 'properties'])

/** Where a schema stands. */
interface Place {
  /** What it is called if it needs a name and has none. */
  readonly name: string
  /** The whole that its references are about, for a schema that was made by itself, such as Zod's. */
  readonly root?: JsonSchema | undefined
}

/**
 * The schemas of a document that have a name. Whatever schema has a `title` becomes a component of that name, and a
 * reference wherever it occurs: who describes a route puts schemas into each other and knows nothing of references.
 */
export class Components {
  /** By the schema, which is the same object wherever it occurs. */
  readonly #names = new Map<object, string>()
  readonly #sources = new Map<string, string>()
  /** What is to come, by the names that are kept for it. */
  readonly #reserved = new Map<string, string>()
  readonly #schemas = new Map<string, JsonSchema>()

  /** All of them, in the order of their names. */
  get schemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#schemas].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** Keeps the name of a schema that may come later, from others of its title; a second one is called after its owner. */
  reserve(schema: JsonSchema, owner: string): void {
    const title = nameFrom(String(schema.title))
    const source = sourceOf(schema, undefined)
    const name = [title, owner + title].find(wanted => this.#isFree(wanted, source))
    if (name === undefined) return
    this.#names.set(schema, name)
    this.#reserved.set(name, source)
  }

  /** A schema in which everything that has a name is a reference; `name` is for what needs one and has none. */
  add(schema: JsonSchema, name: string): JsonSchema {
    return this.#shown(schema, { name })
  }

  #shown(schema: JsonSchema, { name, root }: Place): JsonSchema {
    const isRoot = '$schema' in schema || '$defs' in schema
    const place = isRoot ? { name, root: schema } : { name, root }
    if (typeof schema.$ref === 'string') return this.#followed(schema, schema.$ref, place)
    if (typeof schema.title === 'string') return this.#reference(schema, nameFrom(schema.title), place)
    const isCircular = isRoot && JSON.stringify(schema).includes('"$ref":"#"')
    return isCircular ? this.#reference(schema, name, place) : this.#inner(schema, place)
  }

  #reference(schema: JsonSchema, wanted: string, place: Place): JsonSchema {
    const known = this.#names.get(schema)
    if (known !== undefined && this.#sources.has(known)) return refTo(known)
    const source = sourceOf(schema, place.root)
    const name = known ?? this.#nameFor(source, wanted, place.name)
    this.#names.set(schema, name)
    if (!this.#sources.has(name)) {
      // The name is taken before its schema is looked into, which may contain itself.
      this.#sources.set(name, source)
      this.#schemas.set(name, this.#inner(schema, { ...place, name }))
    }
    return refTo(name)
  }

  /** The same schema made twice is one; another one of the same title is named by where it stands. */
  #nameFor(source: string, wanted: string, byPlace: string): string {
    const free = [wanted, byPlace].find(name => this.#isFree(name, source))
    if (free !== undefined) return free
    let count = 2
    while (!this.#isFree(byPlace + count, source)) count += 1
    return byPlace + count
  }

  #isFree(name: string, source: string): boolean {
    return (this.#sources.get(name) ?? this.#reserved.get(name) ?? source) === source
  }

  /** A reference that the maker of a schema has made: to the whole, or to one of its definitions. */
  #followed({ $ref: _, $schema: __, $defs: ___, ...beside }: JsonSchema, ref: string, place: Place): JsonSchema {
    const key = definedKey(ref)
    // Zod numbers the definitions that nobody has named.
    const wanted = key === '' || key.startsWith('__') ? place.name : nameFrom(key)
    return { ...this.#reference(definitionOf(ref, place.root), wanted, place), ...beside }
  }

  #inner({ $schema: _, $defs: __, ...schema }: JsonSchema, place: Place): JsonSchema {
    // What is true or false instead of a schema stays as it is.
    const at = (value: unknown, name = place.name) =>
      typeof value === 'object' && value !== null ? this.#shown(value as JsonSchema, { ...place, name }) : value
    return mapEntries(schema, (keyword, value) => {
      if (ONE.has(keyword)) return at(value)
      if (LIST.has(keyword)) return (value as unknown[]).map(item => at(item))
      return BY_NAME.has(keyword)
        ? mapEntries(value as object, (key, item) => at(item, place.name + nameFrom(key)))
        : value
    })
  }
}

function refTo(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

/** The text of a schema and of all that it refers to: schemas of the same text are the same. */
function sourceOf(schema: JsonSchema, root: JsonSchema | undefined): string {
  const texts = new Map<string, string>()
  const textOf = (part: JsonSchema): string => {
    const text = JSON.stringify(part)
    for (const [, ref = ''] of text.matchAll(/"\$ref":"(#[^"]*)"/g)) {
      if (texts.has(ref)) continue
      texts.set(ref, '')
      texts.set(ref, textOf(definitionOf(ref, root)))
    }
    return text
  }
  return [textOf(schema), ...texts.values()].join('\n')
}

function definitionOf(ref: string, root: JsonSchema = {}): JsonSchema {
  const definitions = (root.$defs ?? {}) as Readonly<Record<string, JsonSchema>>
  const definition = ref === '#' ? root : definitions[definedKey(ref)]
  if (definition === undefined) {
    const remedy = 'put the schema itself there, such as ArticleSerializer.outputSchema()'
    throw new Error(`A JSON Schema refers to ${ref}, which is not in it; ${remedy}.`)
  }
  return definition
}

function definedKey(ref: string): string {
  return /^#\/\$defs\/(.+)$/.exec(ref)?.[1] ?? ''
}

function mapEntries(
  object: object,
  change: (key: string, value: unknown) => unknown,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(key, value)]))
}

/** The name of a component, or a part of one. */
export function nameFrom(text: string): string {
  return pascalCase(text) || 'Value'
}
