import { setting, shared } from '../../core/setting-rules.ts'
import type { Model } from '../../model/kit.ts'
import type { ModelSerializer, SerializerData } from '../../serializer/model-serializer.ts'
import { type ListPage, Reply } from '../answer/reply.ts'
import { respond } from '../answer/respond.ts'
import { checkParents, requireParents } from '../history/children.ts'
import { requireHistory } from '../history/entries.ts'
import { describeAt, describeDifference, describeHistory, describeRevert } from '../history/history-description.ts'
import { differenceOf, type HistoryDifference, historyPage, recordAt } from '../history/read-history.ts'
import { type FoundState, revertedInput, stateBeforeLock, validatedBody } from '../history/revert.ts'
import { defineMixin } from '../mixin.ts'
import type { SettingsOf } from '../mixin-types.ts'
import { type PermissionClass, requirePermissions } from '../permissions.ts'
import type { ResourceDefinition } from '../resource/resource.ts'
import { UpdateModelMixin } from './update-model-mixin.ts'

declare module '../mixin-types.ts' {
  interface MixinTypes<M extends Model, S extends ModelSerializer<M>> {
    HistoryModelMixin: {
      config: {
        /** Who may read the history and revert, in addition to `permissionClasses`. */
        readonly historyPermissionClasses?: readonly PermissionClass[]
        /**
         * Whether the history of deleted records can be read although the resource has a `queryset` or object
         * permissions, which cannot be asked about them. Default false: 404.
         */
        readonly historyOfDeleted?: boolean
      }
      methods: {
        /** The entries of a record's history, newest first. */
        history(): Promise<ListPage>
        /** What has changed between two entries. */
        historyDiff(): Promise<HistoryDifference>
        /** Writes the state after an entry, as an update. */
        revert(): Promise<Partial<SerializerData<S>>>
        /** Runs before the transaction of a revert. */
        beforeRevert(): Promise<void>
        /** Runs before the actions of the history, after the permissions of the resource. */
        checkHistoryPermissions(): Promise<void>
      }
    }
  }
}

const HISTORY_PERMISSIONS = {
  check: 'checkHistoryPermissions',
  classes: ({ historyPermissionClasses }: Pick<SettingsOf<'HistoryModelMixin'>, 'historyPermissionClasses'>) =>
    historyPermissionClasses,
}

/**
 * `GET /resource/{id}/history/` and `.../history/diff/`, `GET /resource/{id}/?at=` and `POST /resource/{id}/revert/`.
 * The model needs a `HistoryTable`. A revert is an update, so the resource has the actions of
 * {@link UpdateModelMixin} as well.
 *
 * @example
 * BaseViewSet.add(HistoryModelMixin)({ ...config, historyPermissionClasses: [IsAdminUser] })
 */
export const HistoryModelMixin = defineMixin('HistoryModelMixin', {
  extends: [UpdateModelMixin],
  settings: { historyPermissionClasses: shared(setting.permissions), historyOfDeleted: shared(setting.boolean) },
  define: ({ subject, model, config: { serializer, serializers = [] } }) => {
    requireParents(subject, model, [serializer, ...serializers])
    return requireHistory(subject, model)
  },
  routes: [
    {
      method: 'GET',
      path: '/:id/history/',
      action: 'history',
      permissions: HISTORY_PERMISSIONS,
      describes: ({ names }) => describeHistory(names),
    },
    {
      method: 'GET',
      path: '/:id/history/diff/',
      action: 'historyDiff',
      permissions: HISTORY_PERMISSIONS,
      describes: ({ names }) => describeDifference(names),
    },
    {
      method: 'POST',
      path: '/:id/revert/',
      action: 'revert',
      before: 'beforeRevert',
      permissions: HISTORY_PERMISSIONS,
      describes: ({ names, config }) => describeRevert(names, config.serializer),
    },
  ],
  around: {
    isNeeded: ({ action, isCustom, query }) => action === 'retrieve' && !isCustom && query.at !== undefined,
    run: async view => {
      await view.checkHistoryPermissions()
      return respond(new Reply(await recordAt(view), { status: 200 }))
    },
  },
  describes: ({ action, isCustom, description, config }) =>
    action === 'retrieve' && !isCustom ? describeAt(description, config.historyPermissionClasses !== undefined) : {},
  methods: (Base, _mixin) =>
    class extends Base {
      #found: FoundState | undefined

      async checkHistoryPermissions(): Promise<void> {
        await requirePermissions(this.config.historyPermissionClasses ?? [], this)
      }

      async history(): Promise<ListPage> {
        return historyPage(this)
      }

      async historyDiff(): Promise<HistoryDifference> {
        return differenceOf(this)
      }

      async beforeRevert(): Promise<void> {
        this.#found = await stateBeforeLock(this)
      }

      async revert(): Promise<object> {
        const record = await this.getObject()
        const body = await revertedInput(this, record, this.#found)
        if (Object.keys(body).length === 0) return this.serialize(record)
        const updated = await this.updateOne(record, await validatedBody(this, body, record))
        this.shown = updated
        return this.serialize(updated)
      }
    },
})

interface NamedDefinition {
  readonly name: string
  readonly definition: ResourceDefinition
}

/**
 * Checks the parents of the children in histories, which needs the serializers of all resources.
 *
 * @throws ConfigError for children whose history names another parent than the record that they are written with
 */
export function checkHistories(resources: readonly NamedDefinition[]): void {
  for (const { name, definition } of resources) {
    const { model, config } = definition
    if (!HistoryModelMixin.own(definition)) continue
    checkParents(`resources.${name}`, model, [config.serializer, ...(config.serializers ?? [])])
  }
}
