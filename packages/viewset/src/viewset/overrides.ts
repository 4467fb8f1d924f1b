/** Whether a class, a mixin or a property of a view overrides a hook of `standard`. */
export function isOverridden(view: object, hook: string, standard: object): boolean {
  const method: unknown = Reflect.get(view, hook)
  return method !== undefined && method !== Reflect.get(standard, hook)
}

/** The mixins whose hooks other mixins and imports call. A method of that name elsewhere is an override. */
const OWNERS: Readonly<Record<string, string>> = {
  performCreate: 'CreateModelMixin',
  performUpdate: 'UpdateModelMixin',
  performDestroy: 'DestroyModelMixin',
  performRestore: 'RestoreModelMixin',
  performBulkCreate: 'BulkCreateModelMixin',
  performBulkUpdate: 'BulkUpdateModelMixin',
  performBulkDelete: 'BulkHardDeleteModelMixin',
}

type Layers = ReadonlyMap<{ readonly name: string }, object>

const standards = new WeakMap<Layers, Map<string, unknown>>()

/** The method of a hook without overrides: that of `view`, or else of the mixin that declares it. */
export function standardMethod(view: object, layers: Layers, hook: string): unknown {
  let known = standards.get(layers)
  if (!known) {
    known = new Map()
    standards.set(layers, known)
  }
  // Each write checks several hooks. A cached one costs two lookups.
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
