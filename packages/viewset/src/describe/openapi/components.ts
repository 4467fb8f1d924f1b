import { pascalCase } from '../../core/text.ts'
import type { JsonSchema } from '../../kinds/json-schema.ts'

/** Keywords whose value is a schema, a list of schemas, or schemas by name (JSON Schema 2020-12, 10). */
const ONE = new Set(['additionalProperties', 'contains', 'else', 'if', 'items', 'not', 'propertyNames', 'then'])
const LIST = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems'])
const BY_NAME = new Set(['dependentSchemas', 'patternProperties', 'properties'])

const COMPONENTS = '#/components/schemas/'

interface Place {
  /** Its name if it needs one and has no title. */
  readonly name: string
  /** The root for its references, if it was generated separately, such as Zod's. */
  readonly root?: JsonSchema | undefined
}

/**
 * The named schemas of a document. Every schema with a `title` becomes a component of that name, and its occurrences
 * become references. So descriptions can nest schemas without references.
 */
export class Components {
  readonly #names = new Map<object, string>()
  readonly #sources = new Map<string, string>()
  /** Names reserved for later schemas. */
  readonly #reserved = new Map<string, string>()
  /** The titles of records. */
  readonly #records = new Set<string>()
  readonly #schemas = new Map<string, JsonSchema>()
  readonly #examples: ReadonlyMap<object, unknown>

  /** @param examples Better examples than their own, by schemas. */
  constructor(examples: ReadonlyMap<object, unknown> = new Map()) {
    this.#examples = examples
  }

  get schemas(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#schemas].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** Reserves the title of a schema that may come later. A second schema of that title is named after its owner. */
  reserve(schema: JsonSchema, owner: string): void {
    if (typeof schema.title !== 'string') return
    const title = nameFrom(schema.title)
    this.#records.add(title)
    const source = sourceOf(schema, undefined)
    const name = [title, owner + title].find(wanted => this.#isFree(wanted, source))
    if (name === undefined) return
    this.#names.set(schema, name)
    this.#reserved.set(name, source)
  }

  /** The component of a reference that `add` has returned. */
  readonly at = (ref: string): JsonSchema | undefined => this.#schemas.get(ref.slice(COMPONENTS.length))

  /** Replaces named schemas by references. `name` is for a part that needs a name and has none. */
  add(schema: JsonSchema, name: string): JsonSchema {
    return this.#shown(schema, { name })
  }

  #shown(schema: JsonSchema, { name, root }: Place): JsonSchema {
    const isRoot = '$schema' in schema || '$defs' in schema
    const place = isRoot ? { name, root: schema } : { name, root }
    if (String(schema.$ref).startsWith(COMPONENTS)) return schema
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
      // The name is taken first, because the schema may contain itself.
      this.#sources.set(name, source)
      const example = this.#examples.get(schema)
      const shown = this.#inner(schema, { ...place, name })
      this.#schemas.set(name, example === undefined ? shown : { ...shown, examples: [example] })
    }
    return refTo(name)
  }

  /**
   * An equal schema shares the name. Another one of the same title is a short form of a record, such as
   * `CountryReference` inside of a city, or else named after its place.
   */
  #nameFor(source: string, wanted: string, byPlace: string): string {
    const short = this.#records.has(wanted) ? [wanted.replace(/(Input|Patch|Update)?$/, 'Reference$1')] : []
    const free = [wanted, ...short, byPlace].find(name => this.#isFree(name, source))
    if (free !== undefined) return free
    let count = 2
    while (!this.#isFree(byPlace + count, source)) count += 1
    return byPlace + count
  }

  #isFree(name: string, source: string): boolean {
    return (this.#sources.get(name) ?? this.#reserved.get(name) ?? source) === source
  }

  /** Follows a reference in a generated schema: to its root, or to one of its definitions. */
  #followed({ $ref: _, $schema: __, $defs: ___, ...beside }: JsonSchema, ref: string, place: Place): JsonSchema {
    const key = definedKey(ref)
    // Zod numbers unnamed definitions.
    const wanted = key === '' || key.startsWith('__') ? place.name : nameFrom(key)
    return { ...this.#reference(definitionOf(ref, place.root), wanted, place), ...beside }
  }

  #inner({ $schema: _, $defs: __, ...schema }: JsonSchema, place: Place): JsonSchema {
    // `true` and `false` are schemas too.
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
  return { $ref: COMPONENTS + name }
}

function sourceOf(schema: JsonSchema, root: JsonSchema | undefined): string {
  const texts = new Map<string, string>()
  const textOf = (part: JsonSchema): string => {
    const text = JSON.stringify(part)
    for (const [, ref = ''] of text.matchAll(/"\$ref":"(#[^"]*)"/g)) {
      if (texts.has(ref) || ref.startsWith(COMPONENTS)) continue
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

export function nameFrom(text: string): string {
  return pascalCase(text) || 'Value'
}
