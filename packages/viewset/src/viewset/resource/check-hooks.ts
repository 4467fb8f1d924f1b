import { ConfigError } from '../../core/errors.ts'
import { flatName, isMistyped } from '../../core/suggestion.ts'
import type { GenericViewSet } from '../generic-viewset.ts'
import type { AnyResourceClass } from '../mixin.ts'

/** Finds a setting in the body of a class, as in DRF, without an effect. A member that the class reads is permitted. */
export function checkMembers(subject: string, resource: AnyResourceClass, view: GenericViewSet | undefined): void {
  const { classes, composed, isUsed } = layersOf(resource)
  const settings = new Map(Object.keys(resource.definition.rules).map(name => [flatName(name), name]))
  const owners = [...classes, ...classes.map(({ prototype }) => prototype), view ?? {}]
  for (const name of owners.flatMap(Object.getOwnPropertyNames)) {
    const setting = settings.get(flatName(name))
    if (setting === undefined || name in composed || isUsed(name)) continue
    const problem = `does not count in the body of a class; give ${setting} to the function that makes its base class`
    throw new ConfigError(subject, name, `${problem}: BaseViewSet({ ${setting}: ... })`)
  }
}

/** Finds a method with a misspelt hook name. A method that the class or one of its actions calls is permitted. */
export function checkHooks(subject: string, resource: AnyResourceClass, view: GenericViewSet | undefined): void {
  const { classes, composed, isUsed } = layersOf(resource)
  const { actions = {} } = resource.definition.config
  const hooks = hooksOf(composed)

  for (const name of [...classes.flatMap(({ prototype }) => methodsOf(prototype)), ...methodsOf(view ?? {})]) {
    if (name in composed || Object.hasOwn(actions, name)) continue
    const meant = hooks.find(hook => isMistyped(name, hook))
    if (meant === undefined || isUsed(name)) continue
    throw new ConfigError(subject, name, `is not a method that Viewset calls; did you mean "${meant}"?`)
  }
}

interface Layers {
  readonly classes: readonly AnyResourceClass[]
  /** The prototype below them, with the methods of Viewset and of the mixins. */
  readonly composed: object
  isUsed(name: string): boolean
}

function layersOf(resource: AnyResourceClass): Layers {
  const classes: AnyResourceClass[] = []
  let layer = resource
  while (!Object.hasOwn(layer, 'definition')) {
    classes.push(layer)
    layer = Object.getPrototypeOf(layer)
  }
  const handlers = Object.values(resource.definition.config.actions ?? {}).map(({ handler }) => handler)
  const sources = [...classes, ...handlers].map(String)
  return {
    classes,
    composed: layer.prototype,
    isUsed: name => {
      const use = new RegExp(`(?<!super)\\.${name.replaceAll('$', '\\$')}(?![\\w$])`)
      return sources.some(source => use.test(source))
    },
  }
}

function hooksOf(prototype: object): readonly string[] {
  if (prototype === Object.prototype) return []
  return [...methodsOf(prototype), ...hooksOf(Object.getPrototypeOf(prototype))]
}

/** The methods of an object itself. Getters are not read: they may need a request. */
function methodsOf(object: object): readonly string[] {
  const own = Object.entries(Object.getOwnPropertyDescriptors(object))
  return own.filter(([name, { value }]) => name !== 'constructor' && typeof value === 'function').map(([name]) => name)
}
