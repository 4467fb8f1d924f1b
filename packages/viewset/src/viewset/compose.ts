import { CIRCULAR_IMPORT, shown } from '../core/config-error.ts'
import { ConfigError } from '../core/errors.ts'
import { GenericViewSet } from './generic-viewset.ts'
import { type AnyResourceClass, type Mixin, type ViewClass, withBases } from './mixin.ts'
import { checkDefaults, defineResource } from './resource/define-resource.ts'
import type { ResourceConfig } from './resource/resource.ts'
import type { Room } from './room.ts'
import type { ViewSetFactory } from './types.ts'

export type Compose = <const X extends readonly Mixin[]>(
  ...mixins: X
) => ViewSetFactory<X[number]['names'][number], X[number]['sharedSettings'][number]>

/** A `compose` whose resources may use the features of `rooms`. */
export function composeWith(rooms: readonly Room[]): Compose {
  // TypeScript cannot check this: the factory's code accepts any model, and its type depends on the model.
  return ((...mixins: readonly Mixin[]) => factory(rooms, mixins, {})) as unknown as Compose
}

function factory(rooms: readonly Room[], mixins: readonly Mixin[], defaults: Partial<ResourceConfig>): object {
  for (const [index, mixin] of mixins.entries()) {
    if (typeof mixin?.extend === 'function') continue
    const found = `argument ${index + 1} is ${shown(mixin)}`
    const problem = `takes mixins only, such as ListModelMixin, or what defineMixin returns; ${found}`
    throw new ConfigError('compose', 'mixins', mixin === undefined ? `${problem}; ${CIRCULAR_IMPORT}` : problem)
  }
  const Composed = composed(withBases(mixins))
  const make = (config: ResourceConfig): AnyResourceClass => {
    if (typeof config !== 'object' || config === null) {
      const problem = `must be an object with model, serializer and permissionClasses, not ${shown(config)}`
      throw new ConfigError('resource', 'settings', problem)
    }
    const resourceDefinition = defineResource(rooms, Composed.mixins, withDefaults(defaults, config))
    return class Resource extends Composed {
      static override readonly definition = resourceDefinition
    }
  }
  return Object.assign(make, {
    mixins,
    with: (more: Partial<ResourceConfig>) => {
      checkDefaults(rooms, Composed.mixins, more)
      return factory(rooms, mixins, withDefaults(defaults, more))
    },
    add: (...more: readonly Mixin[]) => factory(rooms, [...mixins, ...more], defaults),
  })
}

/** Settings over their defaults. The default of an `undefined` setting holds. */
function withDefaults<C extends Partial<ResourceConfig>>(defaults: Partial<ResourceConfig>, config: C): C {
  const said = Object.entries(config).filter(([name, value]) => value !== undefined || !Object.hasOwn(defaults, name))
  return { ...defaults, ...(Object.fromEntries(said) as C) }
}

function composed(all: readonly Mixin[]): AnyResourceClass {
  refuseSameHooks(all)
  const methods = new Map<Mixin, object>()
  let Layered: ViewClass = GenericViewSet
  for (const mixin of all) {
    Layered = mixin.extend(Layered)
    methods.set(mixin, Layered.prototype)
  }
  return class extends (Layered as typeof GenericViewSet) {
    static readonly mixins = all
    static override readonly layers = methods
  }
}

/** The later of two methods with one name hides the other, unless its mixin extends the other mixin. */
function refuseSameHooks(mixins: readonly Mixin[]): void {
  const owners = new Map<string, Mixin>()
  for (const mixin of mixins) {
    for (const hook of mixin.hooks) {
      const owner = owners.get(hook) ?? mixin
      owners.set(hook, owner)
      if (owner === mixin || mixin.builtOn.includes(owner) || hook in GenericViewSet.prototype) continue
      const problem = `${owner.name} and ${mixin.name} both have a method "${hook}"`
      throw new ConfigError('compose', 'mixins', `${problem}; rename one, or let ${mixin.name} extend the other`)
    }
  }
}
