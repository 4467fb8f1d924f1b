import type { ModelInfo } from '../../model/model-info.ts'
import { isVersionColumn } from '../../model/version-column.ts'
import type { ConfigCheck } from './config-check.ts'
import { standInColumn } from './deletion-column.ts'
import type { PlannedColumn } from './headers.ts'

/**
 * The column with the versions of the records that rows update. Files may omit it, and its cells are never stored.
 *
 * @throws ConfigError
 */
export function versionColumn(
  check: ConfigCheck,
  at: string,
  model: ModelInfo,
  field: string,
  fields: readonly string[],
): PlannedColumn {
  check.list(`${at}.version`, [field], [...model.byKey.keys()], `fields of "${model.name}"`)
  const column = model.byKey.get(field)
  if (!column || !isVersionColumn(column)) {
    const remedy = `use VersionMixin(), or set version: '${field}' of its resource before`
    return check.refuse(`${at}.version`, `"${field}" is no version of "${model.name}"; ${remedy}`)
  }
  check.that(!fields.includes(field), `${at}.fields`, `"${field}" is the version, which is compared and never imported`)
  const standIn = standInColumn(column, column.key)
  return {
    header: column.wire,
    name: column.key,
    isSourceField: false,
    column: standIn,
    lookup: null,
    isVersion: true,
    required: false,
  }
}
