import { ApiError } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import { referredKeys } from '../../store/referrers.ts'
import { historyKey } from '../../store/write/record-history.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { BATCH, type UndoneJob, UndoPlan } from './plan-job.ts'
import type { PlannedStep } from './planned-step.ts'
import type { Spool, SpoolFolder } from './spool.ts'
import { AwayOwners, UndoReach } from './undo-reach.ts'
import { UndoReport } from './undo-report.ts'
import { UndoWriter } from './undo-writer.ts'
import type { UndoneModel } from './undone-models.ts'

/** Why a step could not be carried out. It may succeed after another step. */
interface Refusal {
  readonly step: PlannedStep
  readonly outcome: 'kept' | 'failed' | 'outOfReach'
  readonly text: string
}

type Action = 'delete' | 'update' | 'insert'

/** Steps that wait, by their models and actions. They may be as many as the records of an import. */
class WaitingSteps {
  readonly #folder: SpoolFolder
  readonly #lists = new Map<UndoneModel, Map<Action, Spool<Refusal>>>()
  size = 0

  constructor(folder: SpoolFolder) {
    this.#folder = folder
  }

  async add(model: UndoneModel, refusals: readonly Refusal[]): Promise<void> {
    const lists = this.#lists.get(model) ?? new Map<Action, Spool<Refusal>>()
    this.#lists.set(model, lists)
    for (const [action, group] of Map.groupBy(refusals, ({ step }) => step.action)) {
      if (action === 'nothing') continue
      const list = lists.get(action) ?? this.#folder.spool<Refusal>()
      lists.set(action, list)
      await list.add(group)
      this.size += group.length
    }
  }

  async *steps(model: UndoneModel, ...actions: readonly Action[]): AsyncGenerator<readonly PlannedStep[]> {
    for await (const refusals of this.refusals(model, ...actions)) yield refusals.map(({ step }) => step)
  }

  async *refusals(model: UndoneModel, ...actions: readonly Action[]): AsyncGenerator<readonly Refusal[]> {
    for (const action of actions) yield* this.#lists.get(model)?.get(action)?.batches(BATCH) ?? []
  }

  async close(): Promise<void> {
    for (const lists of this.#lists.values()) for (const list of lists.values()) await list.close()
  }
}

/**
 * Undoes what a job has written, in the current transaction, and reports each record.
 *
 * Created records are deleted, fields get their old values, and deleted records come back. A step that is refused is
 * tried again while others succeed, since they may release a value or a reference. What is refused in the end is
 * reported, and all else is undone.
 *
 * @param models in the order in which an import writes them
 */
export async function runUndo(
  view: GenericViewSet,
  models: readonly UndoneModel[],
  undone: UndoneJob,
): Promise<UndoReport> {
  const report = new UndoReport(undone.folder)
  const reach = new UndoReach(view, models)
  let waiting = new WaitingSteps(undone.folder)
  for (const model of models) {
    const plan = new UndoPlan(view, model, { all: models, report, reach, undone })
    for await (const steps of plan.steps()) {
      const isOver = ({ action }: PlannedStep) => action === 'nothing'
      await report.done(model, steps.filter(isOver))
      await waiting.add(
        model,
        steps.filter(step => !isOver(step)).map(step => ({ step, ...NOT_TRIED })),
      )
    }
  }
  const writer = new UndoWriter(view, reach)
  for (let before = waiting.size + 1; waiting.size > 0 && waiting.size < before; ) {
    before = waiting.size
    const refused = new WaitingSteps(undone.folder)
    await new UndoPass(view, models, { writer, report, waiting, refused }).run()
    await waiting.close()
    waiting = refused
  }
  const refuse = async (model: UndoneModel, ...actions: readonly Action[]) => {
    for await (const refusals of waiting.refusals(model, ...actions)) {
      for (const { step, outcome, text } of refusals) {
        if (outcome === 'outOfReach') report.outOfReach++
        else await report.refused(model, step, outcome, text)
      }
    }
  }
  // In the order in which they were tried.
  for (const model of models.toReversed()) await refuse(model, 'delete')
  for (const model of models) await refuse(model, 'update', 'insert')
  await waiting.close()
  return report
}

const NOT_TRIED = { outcome: 'failed', text: '' } as const

interface PassParts {
  readonly writer: UndoWriter
  readonly report: UndoReport
  readonly waiting: WaitingSteps
  /** Gets the steps that are refused. */
  readonly refused: WaitingSteps
}

/** Tries all steps that wait. */
class UndoPass {
  readonly #view: GenericViewSet
  readonly #models: readonly UndoneModel[]
  readonly #parts: PassParts
  /** The records that do not come back in this pass, since they are out of reach. */
  readonly #away: AwayOwners

  constructor(view: GenericViewSet, models: readonly UndoneModel[], parts: PassParts) {
    this.#view = view
    this.#models = models
    this.#parts = parts
    this.#away = new AwayOwners(models)
  }

  /** Children are deleted before their parents, and parents come back before their children. */
  async run(): Promise<void> {
    const { waiting } = this.#parts
    for (const model of this.#models.toReversed()) {
      for await (const steps of waiting.steps(model, 'delete')) await this.#write(model, await this.#free(model, steps))
    }
    for (const model of this.#models) {
      for await (const steps of waiting.steps(model, 'update')) await this.#write(model, steps)
      for await (const steps of waiting.steps(model, 'insert')) {
        await this.#write(model, await this.#withoutOrphans(model, steps))
      }
    }
  }

  async #refuse(model: UndoneModel, refusals: readonly Refusal[]): Promise<void> {
    const away = refusals.filter(({ outcome }) => outcome === 'outOfReach').map(({ step }) => step)
    this.#away.add(model, away)
    await this.#parts.refused.add(model, refusals)
  }

  /** If one record is refused, halving finds it, and the others are written. */
  async #write(model: UndoneModel, steps: readonly PlannedStep[]): Promise<void> {
    const { writer, report } = this.#parts
    const [first] = steps
    if (!first) return
    try {
      await this.#view.database.transaction(() => writer.write(model, steps))
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error
      if (steps.length === 1) {
        const { outcome, text } = writer.outcomeOf(error)
        return this.#refuse(model, [{ step: first, outcome, text: String(text) }])
      }
      const half = steps.length >> 1
      await this.#write(model, steps.slice(0, half))
      return this.#write(model, steps.slice(half))
    }
    await report.done(model, steps)
  }

  /** A record that others refer to is kept, also if the database would delete these. */
  async #free(one: UndoneModel, steps: readonly PlannedStep[]): Promise<readonly PlannedStep[]> {
    const softDeleted = this.#models.filter(({ active }) => active !== undefined).map(({ model }) => model.name)
    // Links are a part of the record that lists them.
    const own = new Set([...one.relations.values()].map(({ links }) => links.name))
    const ids = steps.map(({ id }) => id)
    const tables = await referredKeys(this.#view.database, one.model, ids, { softDeleted, own })
    const resourcesOf = ({ id }: PlannedStep) => [...(tables.get(historyKey(id)) ?? [])]
    const referred = steps.flatMap((step): Refusal[] => {
      const resources = resourcesOf(step)
      if (resources.length === 0) return []
      return [{ step, outcome: 'kept', text: String(message('undone.referred', { resources })) }]
    })
    await this.#refuse(one, referred)
    return steps.filter(step => resourcesOf(step).length === 0)
  }

  /** A record that belonged to one out of reach is out of reach as well. */
  async #withoutOrphans(model: UndoneModel, steps: readonly PlannedStep[]): Promise<readonly PlannedStep[]> {
    const orphans = this.#away.orphansAmong(model, steps)
    const text = String(message('permission_denied'))
    await this.#refuse(
      model,
      [...orphans].map(step => ({ step, outcome: 'outOfReach' as const, text })),
    )
    return steps.filter(step => !orphans.has(step))
  }
}
