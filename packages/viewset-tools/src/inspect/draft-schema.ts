import type { CatalogueColumn, CatalogueIndex, CatalogueReference, CatalogueTable } from '../catalogue/catalogue.ts'
import { importLine, onOneLine, options, quoted, sqlTemplate } from '../code.ts'
import { camelCase, type Names } from '../identifiers.ts'
import { constantNames, type NamedTable, nameTables } from './name-tables.ts'
import type { Spelling } from './spelling.ts'

/** Other names in a module of resources. */
const OTHERS = ['sql', 'resources', 'references', 'index']

export interface SchemaDraft {
  readonly text: string
  /** Sentences about parts that could not be drafted. */
  readonly notes: readonly string[]
}

export function draftSchema(catalogue: readonly CatalogueTable[], spelling: Spelling): SchemaDraft {
  const names = constantNames([...spelling.functions, ...OTHERS])
  const tables = nameTables(catalogue, names)
  const writer = new SchemaWriter(referredFirst(tables), spelling, names)
  return { text: writer.write(), notes: writer.notes }
}

class SchemaWriter {
  readonly notes: string[] = []
  readonly #tables: readonly NamedTable[]
  readonly #spelling: Spelling
  readonly #names: Names
  readonly #used = new Set<string>()
  /** Types and schemas that tables need: their constants, by the code that makes them. */
  readonly #before = new Map<string, string>()
  #usesSql = false

  constructor(tables: readonly NamedTable[], spelling: Spelling, names: Names) {
    this.#tables = tables
    this.#spelling = spelling
    this.#names = names
  }

  write(): string {
    const tables = this.#tables.map(table => this.#table(table))
    const imports = [
      ...(this.#usesSql ? [importLine(['sql'], 'drizzle-orm')] : []),
      importLine([...this.#used], this.#spelling.module),
    ]
    const before = [...this.#before].map(([code, constant]) => `export const ${constant} = ${code}`)
    return `${[imports.join('\n'), ...before, ...tables].join('\n\n')}\n`
  }

  #table(table: NamedTable): string {
    const [key, ...more] = table.primaryKey
    const columns = table.columns.map(
      column => `  ${this.#column(table, column, more.length === 0 && column.name === key)},\n`,
    )
    const rules = [
      ...(more.length > 0 ? [this.#key(table)] : []),
      ...table.references.flatMap(reference => this.#reference(table, reference)),
      ...table.indexes.flatMap(index => this.#index(table, index)),
    ]
    const parameter = this.#looksAhead(table) ? `(t): ${this.#type(this.#spelling.rule)}[]` : 't'
    const constraints = rules.length > 0 ? `, ${parameter} => [\n${rules.map(rule => `  ${rule},\n`).join('')}]` : ''
    const make = this.#maker(table)
    return `export const ${table.constant} = ${make}(${quoted(table.name)}, {\n${columns.join('')}}${constraints})`
  }

  /** TypeScript cannot infer types of tables that refer to each other, so one of them needs an annotation. */
  #looksAhead(table: NamedTable): boolean {
    const later = this.#tables.slice(this.#tables.indexOf(table) + 1)
    return table.references.some(reference => later.some(target => isTarget(reference, target)))
  }

  #maker({ schema }: NamedTable): string {
    const space = this.#space(schema)
    return space === undefined ? this.#use(this.#spelling.table) : `${space}.table`
  }

  /** The constant of a schema; `undefined` for the default schema. */
  #space(schema: string | null): string | undefined {
    if (schema === null || schema === 'public') return undefined
    return this.#constant(`${this.#use('pgSchema')}(${quoted(schema)})`, `${camelCase(schema)}Schema`)
  }

  /** The preferred name, or else that name with a number. */
  #constant(code: string, name: string): string {
    const constant = this.#before.get(code) ?? this.#names.take(name)
    this.#before.set(code, constant)
    return constant
  }

  #column(table: NamedTable, column: CatalogueColumn, isKey: boolean): string {
    const { name, notNull, generated } = column
    const value = this.#spelling.default(column)
    const parts = [this.#spelling.column(column, used => this.#use(used), this.#enumeration(column))]
    if (isKey) parts.push('.primaryKey()')
    else if (notNull) parts.push('.notNull()')
    parts.push(this.#spelling.numbered(column))
    if (generated) parts.push(`.generatedAlwaysAs(${this.#sql(generated)}${this.#spelling.generated(column)})`)
    else if (value) parts.push(`.default(${this.#sql(value)})`)
    const comment = column.domain ? `// The domain ${onOneLine(column.domain)} says more.\n  ` : ''
    return `${comment}${table.keys.get(name)}: ${parts.join('')}`
  }

  #enumeration({ enumeration }: CatalogueColumn): string | undefined {
    if (!enumeration) return undefined
    const { schema, name, values } = enumeration
    const space = this.#space(schema)
    const make = space === undefined ? this.#use('pgEnum') : `${space}.enum`
    const code = `${make}(${quoted(name)}, [${values.map(quoted).join(', ')}])`
    return this.#constant(code, `${camelCase(space === undefined ? name : `${schema} ${name}`)}Enum`)
  }

  #key(table: NamedTable): string {
    return `${this.#use('primaryKey')}({ columns: [${columnsOf(table, table.primaryKey)}] })`
  }

  #reference(table: NamedTable, reference: CatalogueReference): readonly string[] {
    const target = this.#tables.find(candidate => isTarget(reference, candidate))
    const targets = reference.targets.every(name => target?.keys.has(name))
    if (!target || !targets) {
      this.notes.push(
        `${table.constant}: what ${reference.columns.join(', ')} refers to is not among the tables, so it is a plain column.`,
      )
      return []
    }
    const written = options({
      name: reference.name === null ? undefined : quoted(reference.name),
      columns: `[${columnsOf(table, reference.columns)}]`,
      foreignColumns: `[${columnsOf(target, reference.targets, target === table ? 't' : target.constant)}]`,
    })
    return [`${this.#use('foreignKey')}(${written})${actions(reference)}`]
  }

  #index(table: NamedTable, { name, unique, constraint, columns }: CatalogueIndex): readonly string[] {
    if (columns === null) {
      const why = 'is no plain one (an expression, a condition, a collation, a structure), so the schema lacks it'
      this.notes.push(`${table.constant}: ${name === null ? 'a unique constraint' : `the index "${name}"`} ${why}.`)
      return []
    }
    const parts = columns.map(part => {
      const column = columnsOf(table, [part.name])
      if (!part.descending) return column
      const descending = this.#spelling.descending(column)
      if (descending.startsWith('sql')) this.#usesSql = true
      return descending
    })
    const make = constraint ? 'unique' : unique ? 'uniqueIndex' : 'index'
    return [`${this.#use(make)}(${name === null ? '' : quoted(name)}).on(${parts.join(', ')})`]
  }

  #use(name: string): string {
    this.#used.add(name)
    return name
  }

  #type(name: string): string {
    this.#used.add(`type ${name}`)
    return name
  }

  #sql(text: string): string {
    this.#usesSql = true
    return sqlTemplate(text)
  }
}

function isTarget({ schema, table }: CatalogueReference, { schema: space, name }: CatalogueTable): boolean {
  return space === schema && name === table
}

/** Referred tables come first, except in a cycle. */
function referredFirst(tables: readonly NamedTable[]): readonly NamedTable[] {
  const ordered = new Set<NamedTable>()
  const begun = new Set<NamedTable>()
  const add = (table: NamedTable) => {
    if (begun.has(table)) return
    begun.add(table)
    for (const reference of table.references) {
      const target = tables.find(candidate => isTarget(reference, candidate))
      if (target) add(target)
    }
    ordered.add(table)
  }
  for (const table of tables) add(table)
  return [...ordered]
}

function columnsOf(table: NamedTable, names: readonly string[], owner = 't'): string {
  return names.map(name => `${owner}.${table.keys.get(name)}`).join(', ')
}

function actions({ onDelete, onUpdate }: CatalogueReference): string {
  const written = { onDelete, onUpdate }
  return Object.entries(written)
    .filter(([, action]) => action !== 'no action')
    .map(([name, action]) => `.${name}('${action}')`)
    .join('')
}
