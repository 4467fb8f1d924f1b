import { suggestion } from '../core/suggestion.ts'
import type { Mixin } from '../viewset/mixin.ts'
import type { ResourceDefinition } from '../viewset/resource/resource.ts'
import { CliError } from './cli-error.ts'
import type { ViewsetConfig } from './config.ts'

/** A resource's class, whichever copy of this package it was made with. */
export interface ResourceLike {
  readonly name: string
  readonly mixins: readonly Mixin[]
  readonly definition: ResourceDefinition
}

/** What a resource must be able to do. */
interface Ability<X extends Mixin> {
  readonly mixin: X
  /** What is said of a resource that cannot. */
  readonly lacking: string
}

/**
 * The resource that a command names, by what it is exported under or by its own name, with a mixin of it.
 *
 * @throws CliError naming those that there are
 */
export function findResource<X extends Mixin>(
  resources: ViewsetConfig['resources'],
  name: string,
  { mixin, lacking }: Ability<X>,
): { readonly resource: ResourceLike; readonly mixin: X } {
  const classes = Object.entries(resources).filter((entry): entry is [string, ResourceLike] => isResource(entry[1]))
  const [, resource] = classes.find(([key]) => key === name) ?? classes.find(([, own]) => own.name === name) ?? []
  const able = classes.filter(([, own]) => mixinOf(own, mixin) !== undefined).map(([key]) => key)
  if (!resource) throw new CliError(`There is no resource "${name}"${suggestion(name, able)}`)
  const found = mixinOf(resource, mixin)
  if (!found) throw new CliError(`${name} ${lacking}. Others do: ${able.join(', ') || 'none'}.`)
  return { resource, mixin: found }
}

/** By its name: the mixin of another copy of this package is another object. */
function mixinOf<X extends Mixin>({ mixins }: ResourceLike, mixin: X): X | undefined {
  return mixins.find((candidate): candidate is X => candidate.name === mixin.name)
}

export function isResource(value: unknown): value is ResourceLike {
  return typeof value === 'function' && typeof (value as Partial<ResourceLike>).definition === 'object'
}
