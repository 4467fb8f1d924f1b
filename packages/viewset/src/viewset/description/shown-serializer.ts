import { DEFAULT_SETTINGS } from '../../core/settings.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { HttpMethod } from '../actions.ts'
import { GenericViewSet } from '../generic-viewset.ts'
import { isOverridden } from '../overrides.ts'
import type { AnyResourceClass } from '../resource-class.ts'
import { viewWithoutRequest } from '../view-without-request.ts'

/** The serializers that an action may have: those that the resource declares, or else {@link shownSerializer}. */
export function shownSerializers(
  resource: AnyResourceClass,
  action: string,
  method: HttpMethod,
): readonly [ModelSerializer, ...ModelSerializer[]] {
  const shown = shownSerializer(resource, action, method)
  const { serializers = [] } = resource.definition.config
  return [shown, ...serializers.filter(other => other !== shown)]
}

/**
 * The serializer that an action has, as somebody unknown sees it. A class that chooses it by more than its action is
 * described by the resource's own, where it cannot tell.
 */
function shownSerializer(resource: AnyResourceClass, action: string, method: HttpMethod): ModelSerializer {
  const { serializer } = resource.definition.config
  if (!isOverridden(resource.prototype, 'getSerializer', GenericViewSet.prototype)) return serializer
  try {
    return viewWithoutRequest(resource, undefined, DEFAULT_SETTINGS, { action, method })?.getSerializer() ?? serializer
  } catch {
    return serializer
  }
}
