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

/** The methods that each mixin of a composed class has brought. */
type Layers = ReadonlyMap<object, object>

const standards = new WeakMap<Layers, Map<string, unknown>>()

/** The method that a hook is if nothing overrides it: the one of `view`, or else of the mixin that brings it. */
export function standardMethod(view: object, layers: Layers, hook: string): unknown {
  const known = standards.get(layers) ?? new Map<string, unknown>()
  standards.set(layers, known)
  if (!known.has(hook)) {
    const owner = hook in view ? view : [...layers.values()].find(layer => Object.hasOwn(layer, hook))
    known.set(hook, owner && Reflect.get(owner, hook))
  }
  return known.get(hook)
}
