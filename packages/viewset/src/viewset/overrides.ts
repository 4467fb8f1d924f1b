/**
 * Whether a view has another method under this name than `standard`, which holds the library's: the class of a resource,
 * a mixin or a property of the instance may bring one.
 *
 * @example
 * if (isOverridden(view, 'serialize', GenericViewSet.prototype)) return view.serialize(record)
 */
export function isOverridden(view: object, hook: string, standard: object): boolean {
  const method: unknown = Reflect.get(view, hook)
  return method !== undefined && method !== Reflect.get(standard, hook)
}

/** The mixins that bring the hooks which other mixins and imports call. A method of that name elsewhere is an override. */
const OWNERS: Readonly<Record<string, string>> = {
  performCreate: 'CreateModelMixin',
  performUpdate: 'UpdateModelMixin',
  performDestroy: 'DestroyModelMixin',
  performBulkCreate: 'BulkCreateModelMixin',
  performBulkUpdate: 'BulkUpdateModelMixin',
  performBulkDelete: 'BulkHardDeleteModelMixin',
}

/** The methods that each mixin of a composed class has brought. */
type Layers = ReadonlyMap<{ readonly name: string }, object>

const standards = new WeakMap<Layers, Map<string, unknown>>()

/** The method that a hook is if nothing overrides it: the one of `view`, or else of the mixin that brings it. */
export function standardMethod(view: object, layers: Layers, hook: string): unknown {
  let known = standards.get(layers)
  if (!known) {
    known = new Map()
    standards.set(layers, known)
  }
  // Each write asks for several hooks: what is known costs two lookups.
  const method = known.get(hook)
  if (method !== undefined || known.has(hook)) return method
  const standard: unknown = Reflect.get(ownerOf(view, layers, hook) ?? {}, hook)
  known.set(hook, standard)
  return standard
}

function ownerOf(view: object, layers: Layers, hook: string): object | undefined {
  if (hook in view) return view
  const mixin = OWNERS[hook]
  const found = [...layers].find(([{ name }, layer]) => (mixin ? name === mixin : Object.hasOwn(layer, hook)))
  return found?.[1]
}
