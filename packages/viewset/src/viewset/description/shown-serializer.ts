import { DEFAULT_SETTINGS } from '../../core/settings.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { HttpMethod } from '../actions.ts'
import { GenericViewSet } from '../generic-viewset.ts'
import { isOverridden } from '../overrides.ts'
import type { AnyResourceClass } from '../resource-class.ts'
import { viewWithoutRequest } from '../view-without-request.ts'

export function shownSerializers(
  resource: AnyResourceClass,
  action: string,
  method: HttpMethod,
): readonly [ModelSerializer, ...ModelSerializer[]] {
  const shown = shownSerializer(resource, action, method)
  const { serializers = [] } = resource.definition.config
  return [shown, ...serializers.filter(other => other !== shown)]
}

/** If `getSerializer` needs more than the action and fails, the resource's serializer is described. */
function shownSerializer(resource: AnyResourceClass, action: string, method: HttpMethod): ModelSerializer {
  const { serializer } = resource.definition.config
  if (!isOverridden(resource.prototype, 'getSerializer', GenericViewSet.prototype)) return serializer
  try {
    return viewWithoutRequest(resource, undefined, DEFAULT_SETTINGS, { action, method })?.getSerializer() ?? serializer
  } catch {
    return serializer
  }
}
