import { Conflict, NON_FIELD_ERRORS, NotAuthenticated, NotFound, PermissionDenied } from '../../core/errors.ts'
import { message } from '../../core/messages/message.ts'
import type { ImportService } from '../../importing/import-service.ts'
import type { FindMappings } from '../../importing/options.ts'
import { type SavedMapping, shownMapping } from '../../importing/saved/saved-mapping.ts'
import { PageList } from '../../query/page-list.ts'
import { StandardPageNumberPagination } from '../../query/window-pagination.ts'
import { ownProjection } from '../../store/projection.ts'
import { decodeRow } from '../../store/row-set.ts'
import { ListPage } from '../answer/reply.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import { fixedTextOf } from '../history/change.ts'
import { requirePermissions } from '../permissions.ts'
import { readMappingBody } from './mapping-body.ts'
import { type MappingPlace, type MappingRow, type MappingStore, storedMapping } from './mapping-store.ts'

export const MAPPING_PAGES = new StandardPageNumberPagination()

/** A view that imports. */
interface MappingView extends GenericViewSet {
  getImportService(): Promise<ImportService>
}

/** The routes exist only if the API has a table for mappings. */
function storeOf({ registered }: GenericViewSet): MappingStore {
  const { mappings } = registered
  if (!mappings) throw new NotFound()
  return mappings
}

/** A mapping belongs to the fixed values of the records that its import creates, such as the tenant. */
function placeOf(view: GenericViewSet): MappingPlace {
  const { registered, user } = view
  return {
    resource: registered.resourceName ?? '',
    tenant: fixedTextOf(view),
    user: user === null ? null : String(user.id),
  }
}

/** Finds the mappings that a preview suggests; `undefined` if the API saves none. */
export function findMappings(view: GenericViewSet): FindMappings | undefined {
  const { mappings } = view.registered
  if (!mappings) return undefined
  return fingerprints => mappings.find(placeOf(view), fingerprints)
}

/** A page of the mappings that a user sees. */
export async function mappingPage(view: MappingView): Promise<ListPage> {
  const { database, request, settings } = view
  const store = storeOf(view)
  const service = await view.getImportService()
  const list = new PageList(store.listed(database, placeOf(view)), settings, ownProjection(store.model))
  const { rows, firstIndex: _, ...links } = await MAPPING_PAGES.paginate(list, request)
  const items = rows.map(row => {
    const mapping = storedMapping(decodeRow(database.dialect, store.model, row) as MappingRow)
    return shownMapping({ ...mapping, reading: service.visibleChoice(mapping.reading) })
  })
  return new ListPage([JSON.stringify(items)], links)
}

/** @throws ValidationError for a mapping that does not fit its headers; Conflict for one too many */
export async function saveMapping(view: MappingView): Promise<SavedMapping> {
  const { registered, request, settings, user } = view
  const store = storeOf(view)
  const { headers, reading, name, everyone } = readMappingBody(request.body, registered.parameters)
  if (everyone) await requireAdmin(view, store)
  else if (user === null) throw new NotAuthenticated(message('not_authenticated.import_mapping'))
  const service = await view.getImportService()
  const fingerprint = service.fingerprintFor(headers, reading)
  const most = settings.COMMON.IMPORT_MAPPINGS_PER_USER
  const saved = await store.save(placeOf(view), { name, everyone, fingerprint, reading }, most)
  if (!saved) {
    const text = message('too_many_import_mappings', { max: most })
    throw new Conflict({ [NON_FIELD_ERRORS]: [text] }, text)
  }
  return shownMapping(saved)
}

/** @throws NotFound for a mapping of another user; PermissionDenied for one of everyone */
export async function deleteMapping(view: GenericViewSet): Promise<void> {
  const store = storeOf(view)
  const found = await store.findOne(placeOf(view), view.request.params.mapping ?? '')
  if (!found) throw new NotFound()
  if (found.owner === null) await requireAdmin(view, store)
  await store.remove(found.id)
}

async function requireAdmin(view: GenericViewSet, { adminPermissionClasses }: MappingStore): Promise<void> {
  if (adminPermissionClasses) return requirePermissions(adminPermissionClasses, view)
  throw view.user === null ? new NotAuthenticated() : new PermissionDenied()
}
