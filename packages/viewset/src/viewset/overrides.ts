/**
 * Whether a view has another method under this name than `standard`, which holds the library's own: a resource's class, a
 * mixin or a property of the instance may bring one. Every path asks here, so that none skips a hook.
 *
 * @example
 * if (isOverridden(view, 'serialize', GenericViewSet.prototype)) return view.serialize(record)
 */
export function isOverridden(view: object, hook: string, standard: object): boolean {
  const method: unknown = Reflect.get(view, hook)
  return method !== undefined && method !== Reflect.get(standard, hook)
}
