import { ConfigError } from '../core/errors.ts'
import { isMistyped } from '../core/suggestion.ts'
import type { GenericViewSet } from './generic-viewset.ts'
import type { AnyResourceClass } from './resource-class.ts'

/**
 * Looks for a method whose name is that of a hook with a typing mistake: it would never be called. A method that the
 * class or one of its actions calls is a helper, even if its name resembles a hook.
 *
 * @throws ConfigError naming the hook that was meant.
 */
export function checkHooks(subject: string, resource: AnyResourceClass, view: GenericViewSet | undefined): void {
  const { classes, composed } = layersOf(resource)
  const { actions = {} } = resource.definition.config
  const hooks = hooksOf(composed)
  const sources = [...classes, ...Object.values(actions).map(({ handler }) => handler)].map(String)
  const isCalled = (name: string) => sources.some(source => source.replaceAll(`super.${name}`, '').includes(`.${name}`))

  for (const name of [...classes.flatMap(({ prototype }) => methodsOf(prototype)), ...methodsOf(view ?? {})]) {
    if (name in composed || Object.hasOwn(actions, name)) continue
    const meant = hooks.find(hook => isMistyped(name, hook))
    if (meant === undefined || isCalled(name)) continue
    throw new ConfigError(subject, name, `is not a method that Viewset calls; did you mean "${meant}"?`)
  }
}

/** The classes of an application, and the prototype below them, which has all methods that Viewset and mixins bring. */
function layersOf(resource: AnyResourceClass): { classes: readonly AnyResourceClass[]; composed: object } {
  const classes: AnyResourceClass[] = []
  let layer = resource
  while (!Object.hasOwn(layer, 'definition')) {
    classes.push(layer)
    layer = Object.getPrototypeOf(layer)
  }
  return { classes, composed: layer.prototype }
}

function hooksOf(prototype: object): readonly string[] {
  if (prototype === Object.prototype) return []
  return [...methodsOf(prototype), ...hooksOf(Object.getPrototypeOf(prototype))]
}

/** Own methods by name. Getters are not read: they may need a request. */
function methodsOf(object: object): readonly string[] {
  const own = Object.entries(Object.getOwnPropertyDescriptors(object))
  return own.filter(([name, { value }]) => name !== 'constructor' && typeof value === 'function').map(([name]) => name)
}
