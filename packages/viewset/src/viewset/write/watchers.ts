import { currentContext } from '../../core/context.ts'
import { dependentsOf, historyOf } from '../../model/history.ts'
import { nestingsOf } from '../../model/nestings.ts'
import { signals, writeListeners } from '../../model/signals.ts'
import { softCascadesOf } from '../../model/soft-cascades.ts'
import { isInTransaction } from '../../store/connection/session.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import type { MixinAround } from '../seams.ts'

/** The writes of routes that one statement can make. */
export type WriteKind =
  | 'create'
  | 'update'
  | 'destroy'
  | 'bulkCreate'
  | 'bulkUpdate'
  | 'bulkDelete'
  | 'bulkSoftDelete'
  | 'bulkRestore'
  | 'restore'

/** A write as a resource makes it: with `softDelete`, a destroy is another write. */
export type ResourceWrite = WriteKind | 'softDestroy' | 'softBulkDelete'

/** Code that may need to see a record before or after the write. */
interface Watchers {
  readonly hooks: readonly string[]
  readonly signals: readonly (keyof typeof signals)[]
  readonly settings?: readonly string[]
  /** Whether the write changes stored records, which object permissions may read. */
  readonly isOfStored: boolean
  readonly checksScope?: (view: GenericViewSet) => boolean
}

const EVERY = ['write', 'finalize']
const OF_MANY = [...EVERY, 'validateMany', 'serialize', 'serializeMany']

const WATCHERS: Readonly<Record<ResourceWrite, Watchers>> = {
  create: {
    hooks: [...EVERY, 'performCreate', 'validate', 'serialize'],
    signals: ['preSave', 'postSave'],
    isOfStored: false,
    checksScope: checksCreated,
  },
  update: {
    hooks: [...EVERY, 'performUpdate', 'getObject', 'validate', 'serialize'],
    signals: ['preSave', 'postSave'],
    isOfStored: true,
    checksScope: checksUpdated,
  },
  destroy: {
    hooks: [...EVERY, 'performDestroy', 'getObject'],
    signals: ['preDelete', 'postDelete'],
    isOfStored: true,
  },
  softDestroy: {
    hooks: [...EVERY, 'performDestroy', 'getObject'],
    signals: ['preSave', 'postSave'],
    isOfStored: true,
  },
  restore: {
    hooks: [...EVERY, 'performRestore', 'getObject', 'serialize'],
    signals: ['preSave', 'postSave'],
    isOfStored: true,
    checksScope: checksUpdated,
  },
  // Of the signals, a write of many records sends `preSave` only.
  bulkCreate: {
    hooks: ['performBulkCreate', 'performCreate', ...OF_MANY],
    signals: ['preSave'],
    isOfStored: false,
    checksScope: checksCreated,
  },
  bulkUpdate: {
    hooks: ['performBulkUpdate', 'performUpdate', ...OF_MANY],
    signals: ['preSave'],
    settings: ['useSaveOnBulkUpdate'],
    isOfStored: true,
    checksScope: checksUpdated,
  },
  bulkSoftDelete: { hooks: [...EVERY, 'performBulkSoftDelete'], signals: [], isOfStored: true },
  bulkRestore: { hooks: [...EVERY, 'performBulkRestore', 'performRestore'], signals: [], isOfStored: true },
  bulkDelete: { hooks: [...EVERY, 'performBulkDelete', 'performDestroy'], signals: [], isOfStored: true },
  softBulkDelete: { hooks: [...EVERY, 'performBulkDelete', 'performDestroy'], signals: [], isOfStored: true },
}

/** The writes that other records may follow. */
const SOFT: ReadonlySet<ResourceWrite> = new Set([
  'softDestroy',
  'softBulkDelete',
  'bulkSoftDelete',
  'restore',
  'bulkRestore',
])

function checksCreated(view: GenericViewSet): boolean {
  if (view.config.checkScope === 'never') return false
  return view.getScope() !== undefined || view.definition.scopes.length > 0 || view.overrides('getQueryset')
}

function checksUpdated({ config }: GenericViewSet): boolean {
  return config.checkScope === 'always'
}

export function resourceWrite({ config }: GenericViewSet, kind: WriteKind): ResourceWrite {
  if (!config.softDelete) return kind
  if (kind === 'destroy') return 'softDestroy'
  return kind === 'bulkDelete' ? 'softBulkDelete' : kind
}

/**
 * Whether a hook, a signal, a listener or another table needs the records of a write. If not, one statement can make it. Each
 * request checks this, since listeners come and go.
 */
export function isWatched(view: GenericViewSet, kind: ResourceWrite): boolean {
  const watchers = WATCHERS[kind]
  const { table } = view.definition.model
  return (
    watchers.hooks.some(hook => view.overrides(hook)) ||
    watchers.signals.some(signal => signals[signal].isHeard(table)) ||
    writeListeners(table) !== undefined ||
    historyOf(table) !== undefined ||
    nestingsOf(table).length > 0 ||
    (SOFT.has(kind) && softCascadesOf(table).length > 0) ||
    ((kind === 'destroy' || kind === 'bulkDelete') && dependentsOf(table).length > 0) ||
    (watchers.settings?.some(name => Reflect.get(view.config, name) === true) ?? false) ||
    (watchers.isOfStored && view.hasObjectPermissions) ||
    (watchers.checksScope?.(view) ?? false) ||
    // The envelope of a project may fail. Then the write is undone.
    currentContext().envelope !== null ||
    isInTransaction(view.database)
  )
}

export function neededArounds(view: GenericViewSet): readonly MixinAround[] {
  // TypeScript cannot check this: each function expects a view with its own mixin, and this view has it.
  return view.definition.arounds.filter(({ isNeeded }) => isNeeded(view as never))
}
