import type { ModelInfo } from '../../model/model-info.ts'
import { isWritable, type ManyField, takesRecords } from '../../serializer/fields.ts'
import { wholeOf } from '../../serializer/for-user.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { hasJoinTable } from '../../store/to-many.ts'
import type { ConfigCheck } from './config-check.ts'
import { standInColumn } from './deletion-column.ts'
import type { PlannedColumn, PlannedModel } from './headers.ts'
import { writtenModels } from './written-models.ts'

/**
 * The column of a list of records that the serializer writes. Its cells are JSON.
 *
 * @param isHidden whether the user may not write a field; such a list has no column if the user's serializer lacks it
 * @throws ConfigError
 */
export function listColumns(
  check: ConfigCheck,
  at: string,
  owner: ModelInfo,
  names: readonly string[],
  serializer: ModelSerializer | undefined,
  isHidden: ((path: string) => boolean) | undefined,
): readonly PlannedColumn[] {
  if (names.length === 0) return []
  if (serializer?.model !== owner.table) {
    return check.refuse(at, `needs a serializer of "${owner.name}", which says what the records of a list are`)
  }
  const declared = wholeOf(serializer).fields.filter(field => field.kind === 'many')
  const all = names.filter(name => declared.some(({ key }) => key === name) || !isHidden?.(name))
  check.list(
    at,
    all,
    declared.map(({ key }) => key),
    'lists of the serializer',
  )
  return all.flatMap(name => {
    const whole = declared.find(({ key }) => key === name)
    return whole ? [listColumn(check, at, whole, serializer)] : []
  })
}

function listColumn(check: ConfigCheck, at: string, whole: ManyField, serializer: ModelSerializer): PlannedColumn {
  const { key, wire } = whole
  check.that(isWritable(whole), at, `"${key}" is read-only`)
  const isOfKeys = `"${key}" takes identifiers or texts, not records; describe it in manyToMany`
  check.that(takesRecords(whole), at, isOfKeys)
  const moving = movingList([whole])
  if (moving) {
    const problem = `"${moving.key}" moves records from one owner to another, which an import cannot do`
    check.refuse(at, `"${key}" cannot be imported: its list ${problem}`)
  }
  // The user's own serializer may take fewer fields of the records.
  const own = serializer.fields.find(field => field.key === key)
  const list = own?.kind === 'many' && isWritable(own) ? own : whole
  const { ownKind: _, ...standIn } = standInColumn(list.relation.ownerKey, key)
  return {
    header: wire,
    name: key,
    isSourceField: false,
    column: { ...standIn, wire, kind: 'json', ownType: undefined },
    lookup: null,
    list,
    required: false,
  }
}

/** A list of identifiers of children, at any depth. */
function movingList(fields: readonly ManyField[]): ManyField | undefined {
  for (const field of fields) {
    if (!takesRecords(field) && !hasJoinTable(field.relation)) return field
    const nested = field.serializer?.fields.filter(isWritable).filter(field => field.kind === 'many') ?? []
    const moving = takesRecords(field) ? movingList(nested) : undefined
    if (moving) return moving
  }
  return undefined
}

/** @throws ConfigError for a list with records of a model that the file has, too: the order of their writes would count */
export function checkLists(check: ConfigCheck, models: readonly PlannedModel[]): void {
  for (const { key, model, columns } of models) {
    for (const { list } of columns) {
      if (!list) continue
      const nested = writtenModels(model, [list]).flatMap(written => (written.model === model ? [] : [written.model]))
      const written = list.relation.model === model ? [model] : nested
      const twice = written.find(other => models.some(planned => planned.model === other))
      if (!twice) continue
      const problem = `"${list.key}" writes records of "${twice.name}", and so do rows of the file; leave one of them out`
      check.refuse(`models.${key}.lists`, problem)
    }
  }
}
