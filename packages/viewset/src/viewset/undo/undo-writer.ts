import { type ApiError, PermissionDenied } from '../../core/errors.ts'
import type { Text } from '../../core/messages/message.ts'
import type { ImportHooks } from '../../importing/import-hooks.ts'
import type { Model } from '../../model/kit.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import { isVersionColumn } from '../../model/version-column.ts'
import { RelatedSet } from '../../records/drafts.ts'
import { recordOf } from '../../records/record.ts'
import { RecordList } from '../../records/record-list.ts'
import { deleteRecords, insertRecords, updateRecords } from '../../records/write-records.ts'
import type { Values } from '../../store/write/write.ts'
import { resourceHooks } from '../files/resource-hooks.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { keyFrom, type PlannedStep, valuesFrom } from './planned-step.ts'
import type { UndoReach } from './undo-reach.ts'
import type { UndoneModel } from './undone-models.ts'

/** A record that comes back is outside of what the user may see. */
class OutOfReach extends PermissionDenied {}

/** Writes the steps of an undo, those of the resource's own model through its hooks. */
export class UndoWriter {
  readonly #view: GenericViewSet
  readonly #reach: UndoReach
  readonly #hooks: Pick<ImportHooks, 'create' | 'update' | 'delete'>

  constructor(view: GenericViewSet, reach: UndoReach) {
    this.#view = view
    this.#reach = reach
    this.#hooks = resourceHooks(view)
  }

  /** Writes steps of one model: all deletions, or updates and insertions. */
  async write(model: UndoneModel, steps: readonly PlannedStep[]): Promise<void> {
    const of = (action: PlannedStep['action']) => steps.filter(step => step.action === action)
    const hooks = model.isOfResource ? this.#hooks : {}
    await this.#delete(model, hooks, of('delete'))
    await this.#update(model, hooks, of('update'))
    await this.#insert(model, hooks, of('insert'))
  }

  outcomeOf(error: ApiError): { readonly outcome: 'failed' | 'outOfReach'; readonly text: Text } {
    const [text = error.text] = Object.values(error.fieldErrors ?? {}).flat()
    return { outcome: error instanceof OutOfReach ? 'outOfReach' : 'failed', text }
  }

  async #delete(one: UndoneModel, hooks: ImportHooks, steps: readonly PlannedStep[]): Promise<void> {
    if (steps.length === 0) return
    const { database } = this.#view
    const { model } = one
    // Taken away before, the links have entries, and come back if the undo is undone.
    const linked = steps.filter(({ record }) => record.links.size > 0)
    const nothing = ({ record }: PlannedStep) => Object.fromEntries([...record.links.keys()].map(name => [name, []]))
    const unlinked = linked.map(step => ({ key: step.id, values: relatedSets(one, nothing(step)) }))
    if (unlinked.length > 0) await updateRecords(database, model, unlinked)
    const ids = steps.map(({ id }) => id)
    const rows = steps.flatMap(({ row }) => (row ? [row] : []))
    if (hooks.delete) await hooks.delete(new RecordList(database, model, ids, rows))
    else await deleteRecords(database, model, ids)
  }

  async #update(one: UndoneModel, hooks: ImportHooks, steps: readonly PlannedStep[]): Promise<void> {
    if (steps.length === 0) return
    const { database } = this.#view
    const { model } = one
    const changes = steps.map(({ id, row, values, links }) => {
      return { key: id, row, values: { ...valuesFrom(model, values), ...relatedSets(one, links) } }
    })
    if (!hooks.update) return void (await updateRecords(database, model, changes))
    const ofRecords = changes.flatMap(({ row, values }) =>
      row ? [{ record: recordOf<Model>(database, model, row), values }] : [],
    )
    await hooks.update(ofRecords)
  }

  async #insert(one: UndoneModel, hooks: ImportHooks, steps: readonly PlannedStep[]): Promise<void> {
    if (steps.length === 0) return
    const { database } = this.#view
    const { model } = one
    const list = steps.map(({ values, links }) => {
      return { ...comingBack(model, valuesFrom(model, values)), ...relatedSets(one, links) }
    })
    const { keys } = await (hooks.create ?? (values => insertRecords(database, model, values)))(list)
    if (!(await this.#reach.hasAll(one, keys))) throw new OutOfReach()
  }
}

function relatedSets({ relations }: UndoneModel, links: PlannedStep['links']): Values {
  const sets = Object.entries(links).flatMap(([name, ids]) => {
    const relation = relations.get(name)
    return relation
      ? [
          [
            name,
            new RelatedSet(
              relation,
              ids.map(id => keyFrom(relation.model, id)),
            ),
          ] as const,
        ]
      : []
  })
  return Object.fromEntries(sets)
}

/** A deleted record comes back with a new version, and as changed now by the person who undoes. */
function comingBack({ columns }: ModelInfo, values: Values): Values {
  const isNew = (key: string) => key === 'updatedAt' || key === 'updatedBy'
  const left = columns.filter(column => isNew(column.key) || isVersionColumn(column)).map(({ key }) => key)
  return Object.fromEntries(Object.entries(values).filter(([key]) => !left.includes(key)))
}
