import type { ApiSettings } from '../../core/settings.ts'
import { readContextOf } from '../../kinds/kind.ts'
import type { Model } from '../../model/kit.ts'
import type { ColumnInfo } from '../../model/model-info.ts'
import { type ModelRecord, recordOf } from '../../records/record.ts'
import { checkedFixedValues } from '../../serializer/fixed-values.ts'
import type { ValidateRun } from '../../serializer/validate.ts'
import type { Database } from '../../store/connection/database.ts'
import { ownProjection } from '../../store/projection.ts'
import type { QuerySet } from '../../store/queryset.ts'
import type { Values } from '../../store/write/write.ts'
import type { ResourceConfig, ResourceDefinition } from '../resource/resource.ts'

interface FillingView {
  readonly config: ResourceConfig
  readonly definition: ResourceDefinition
  readonly model: Model
  readonly settings: ApiSettings
  readonly database: Database
  readonly hasObjectPermissions: boolean
  checkObjectPermissions(record: ModelRecord<Model>): Promise<void>
  getQueryset(): Promise<QuerySet>
}

interface OverridableView {
  overrides(hook: string): boolean
}

const NONE: Values = {}

/** @throws ConfigError for an unknown field, or for a missing value */
export function fixedValuesOf(view: FillingView): Values {
  const { config, definition, model } = view
  const functions = config.fixedValues ? [config.fixedValues, ...definition.fixedValues] : definition.fixedValues
  if (functions.length === 0) return NONE
  // Each function expects the view of its own declaration. Mixins come last: no resource can change its tenant.
  return Object.assign({}, ...functions.map(values => checkedFixedValues(model, values(view as never))))
}

/** The values of new records with their fixed values. An override of the validation may have left them out. */
export function withFixedValues(
  view: FillingView & OverridableView,
  validation: 'validate' | 'validateMany',
  values: Values[],
): Values[] {
  if (!view.overrides(validation)) return values
  const fixed = fixedValuesOf(view)
  return values.map(item => ({ ...item, ...fixed }))
}

export function newRecordsOf(view: FillingView): Omit<ValidateRun, 'partial' | 'root'> {
  return {
    context: readContextOf(view.settings),
    fixed: fixedValuesOf(view),
    closedOwners: (column, keys) => closedOwners(view, column, keys),
    visible: () => view.getQueryset(),
    checkCreated: view.config.checkScope !== 'never',
  }
}

/** A record that moves to another owner leaves one: the request must be allowed to change both. */
async function closedOwners(
  view: FillingView,
  column: ColumnInfo,
  values: readonly unknown[],
): Promise<readonly unknown[]> {
  const { database, definition } = view
  const { model } = definition
  const rows = await (await view.getQueryset()).having(column, values, ownProjection(model), 'update')
  const owners = rows.map(row => recordOf(database, model, row))
  if (view.hasObjectPermissions) for (const owner of owners) await view.checkObjectPermissions(owner)
  const open = new Set(owners.map(owner => String(Reflect.get(owner, column.key))))
  return values.filter(value => !open.has(String(value)))
}
