import { DEFAULT_SETTINGS } from '../../core/settings.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { HttpMethod } from '../actions.ts'
import { GenericViewSet } from '../generic-viewset.ts'
import { isOverridden } from '../overrides.ts'
import type { AnyResourceClass } from '../resource-class.ts'
import { viewOfNobody } from '../view-of-nobody.ts'

/**
 * The serializer that an action has, as somebody unknown sees it. A class that chooses it by more than its action is
 * described by the resource's own, where it cannot tell.
 */
export function shownSerializer(resource: AnyResourceClass, action: string, method: HttpMethod): ModelSerializer {
  const { serializer } = resource.definition.config
  if (!isOverridden(resource.prototype, 'getSerializer', GenericViewSet.prototype)) return serializer
  try {
    return viewOfNobody(resource, undefined, DEFAULT_SETTINGS, { action, method })?.getSerializer() ?? serializer
  } catch {
    return serializer
  }
}
