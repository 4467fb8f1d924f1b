import { ConfigError } from '../core/errors.ts'
import { suggestion } from '../core/suggestion.ts'
import { wireName } from '../core/wire-names.ts'
import { type ColumnInfo, type ModelInfo, modelInfo } from './model-info.ts'

/** One foreign key of a path. */
export interface PathStep {
  readonly foreignKey: ColumnInfo
  readonly model: ModelInfo
  /** The column of `model` to which the foreign key points. */
  readonly target: ColumnInfo
}

/** A column of a model, or of a model that its foreign keys lead to: `country__continent__name`. */
export interface ColumnPath {
  /** The path in JSON: `created_by__username`. */
  readonly wire: string
  readonly steps: readonly PathStep[]
  readonly column: ColumnInfo
}

/**
 * Follows a configured path (names of code; relations by the key of their foreign key) from `model`.
 *
 * @throws ConfigError with the part that does not exist.
 * @example
 * resolvePath('resource of "cities"', 'searchFields', cities, 'country__name')
 */
export function resolvePath(subject: string, setting: string, model: ModelInfo, path: string): ColumnPath {
  const refuse = (problem: string) => new ConfigError(subject, setting, problem)
  const segments = path.split('__')
  const steps: PathStep[] = []
  let at = model
  for (const [index, name] of segments.entries()) {
    const column = at.byKey.get(name)
    if (!column) {
      const where = steps.length > 0 ? ` of "${at.name}" in "${path}"` : ''
      throw refuse(`unknown field "${name}"${where}${suggestion(name, at.byKey.keys())}`)
    }
    if (index === segments.length - 1) return { wire: segments.map(wireName).join('__'), steps, column }
    const { references } = column
    if (!references) throw refuse(`"${name}" is no foreign key, so "${path}" leads nowhere`)
    at = modelInfo(references.target)
    steps.push({ foreignKey: column, model: at, target: references.column })
  }
  // Never reached: `split` returns at least one segment.
  throw refuse(`"${path}" is no path`)
}
