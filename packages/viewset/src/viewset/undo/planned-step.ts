import type { ModelInfo } from '../../model/model-info.ts'
import type { HistoryValues } from '../../model/tables/history-tables.ts'
import { readJsonValue } from '../../serializer/column-schema.ts'
import type { RawRow } from '../../store/connection/driver.ts'
import type { Values } from '../../store/write/write.ts'
import type { HistoryEntry } from '../history/entries.ts'
import type { UndoStep } from './plan-undo.ts'

/** A step with the stored row of its record. It is plain data, since a list of steps may lie on the disk. */
export interface PlannedStep extends UndoStep {
  readonly id: unknown
  /** `undefined` for a record that comes back. */
  readonly row: RawRow | undefined
  /** The values by which a person knows the record. */
  readonly label: string
  /** The latest change since the job, if it is the reason. */
  readonly changed: LaterChange | undefined
}

/** Who has changed a record since the job. */
export type LaterChange = Pick<HistoryEntry, 'user' | 'at' | 'job'>

/** The key that a history names, as records have it. */
export function keyFrom({ primaryKey }: Pick<ModelInfo, 'primaryKey'>, key: string): unknown {
  const read = readJsonValue(primaryKey, primaryKey.kind === 'integer' ? Number(key) : key)
  return 'value' in read ? read.value : key
}

/** Values of today's columns as records have them. */
export function valuesFrom({ columns }: ModelInfo, values: HistoryValues): Values {
  const byName = new Map(columns.map(column => [column.name, column]))
  const read = Object.entries(values).flatMap(([name, value]) => {
    const column = byName.get(name)
    if (!column || column.generated) return []
    if (value === null || column.kind === 'text' || column.kind === 'enumeration') return [[column.key, value]]
    const known = readJsonValue(column, value)
    return [[column.key, 'value' in known ? known.value : value]]
  })
  return Object.fromEntries(read)
}
