import * as z from 'zod'
import { DEFAULT_SETTINGS } from '../../core/settings.ts'
import type { JsonSchema } from '../../kinds/json-schema.ts'
import { zodAccepts, zodInput } from '../../kinds/zod-input.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { ActionSpec } from '../actions.ts'
import { GenericViewSet } from '../generic-viewset.ts'
import type { HttpMethod } from '../http-method.ts'
import { viewWithoutRequest } from '../make-view.ts'
import type { AnyResourceClass } from '../mixin.ts'
import { isOverridden } from '../overrides.ts'
import { type RecordNames, summaryOfAction } from './record-names.ts'
import { changedDescription, type RouteDescription } from './route-description.ts'

export function describeAction(action: string, spec: ActionSpec, names: RecordNames): RouteDescription {
  const { method, detail, input, output, describes } = spec
  const own: RouteDescription = {
    summary: summaryOfAction({ action, method, detail }, names),
    ...(input && { body: zodInput(input), bodyOptional: zodAccepts(input, undefined) }),
    data: output ? dataSchema(output) : {},
  }
  return changedDescription(own, describes)
}

/** An `undefined` result is sent as null. */
function dataSchema(output: z.ZodType): JsonSchema {
  const schema: JsonSchema = z.toJSONSchema(output, { io: 'output', unrepresentable: 'any' })
  return zodAccepts(output, undefined) && !zodAccepts(output, null) ? { anyOf: [schema, { type: 'null' }] } : schema
}

export function withRecord(
  description: RouteDescription,
  record: JsonSchema | undefined,
  serializer: Pick<ModelSerializer, 'outputSchema'>,
): RouteDescription {
  if (!record) return description
  const shown = serializer.outputSchema()
  const change = (value: unknown): unknown => {
    if (value === shown) return record
    // A schema with a title stays as it is, even if it contains a record.
    if (typeof value !== 'object' || value === null || 'title' in value) return value
    if (Array.isArray(value)) return value.map(change)
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, change(part)]))
  }
  const { data, pages } = description
  return {
    ...description,
    ...(data && { data: change(data) as JsonSchema }),
    ...(pages?.whole && { pages: { ...pages, whole: change(pages.whole) as JsonSchema } }),
  }
}

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
