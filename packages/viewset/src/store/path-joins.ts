import type { ColumnPath } from '../model/column-path.ts'
import { quoteName } from '../model/drizzle.ts'
import type { ModelInfo } from '../model/model-info.ts'
import { tableName } from './select.ts'

/**
 * The joins that an ordering by paths needs, each foreign key joined once however many paths lead through it.
 *
 * A foreign key that is never null always finds its row, so it is an inner join: the database may then begin with the
 * other table and its index, which an outer join forbids (0.4 ms against 60 ms for a page of 171,000 cities by country).
 */
export class PathJoins {
  readonly #root: ModelInfo
  readonly #aliases = new Map<string, string>()
  text = ''

  constructor(root: ModelInfo) {
    this.#root = root
  }

  /** The name of the path's column in SQL, and whether it can be null. */
  follow({ steps, column }: ColumnPath): { readonly expression: string; readonly nullable: boolean } {
    let name = tableName(this.#root)
    let way = ''
    let isOptional = false
    for (const { foreignKey, model, target } of steps) {
      // Behind an outer join, an inner one would drop the rows that the outer one keeps.
      isOptional ||= foreignKey.nullable
      way += `${foreignKey.name}.`
      let alias = this.#aliases.get(way)
      if (alias === undefined) {
        alias = quoteName(`_join_${this.#aliases.size}`)
        this.#aliases.set(way, alias)
        const on = `${alias}.${quoteName(target.name)} = ${name}.${quoteName(foreignKey.name)}`
        this.text += ` ${isOptional ? 'left join' : 'join'} ${tableName(model)} as ${alias} on ${on}`
      }
      name = alias
    }
    return { expression: `${name}.${quoteName(column.name)}`, nullable: isOptional || column.nullable }
  }
}
