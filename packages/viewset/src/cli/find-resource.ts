import { suggestion } from '../core/suggestion.ts'
import type { Mixin } from '../viewset/mixin.ts'
import type { ResourceDefinition } from '../viewset/resource/resource.ts'
import { CliError } from './cli-error.ts'
import type { ViewsetConfig } from './config.ts'

/** A viewset class, known by its members: `instanceof` fails if another copy of this package has made it. */
export interface ResourceLike {
  readonly name: string
  readonly mixins: readonly Mixin[]
  readonly definition: ResourceDefinition
}

interface Ability<X extends Mixin> {
  readonly mixin: X
  readonly lacking: string
}

/**
 * Finds a resource by its export name or its own name.
 *
 * @throws CliError with the known names
 */
export function findResource<X extends Mixin>(
  resources: ViewsetConfig['resources'],
  name: string,
  { mixin, lacking }: Ability<X>,
): { readonly resource: ResourceLike; readonly mixin: X } {
  const classes = Object.entries(resources).filter((entry): entry is [string, ResourceLike] => isResource(entry[1]))
  const [, resource] =
    classes.find(([key]) => key === name) ?? classes.find(([, candidate]) => candidate.name === name) ?? []
  const able = classes.filter(([, candidate]) => mixinOf(candidate, mixin) !== undefined).map(([key]) => key)
  if (!resource) throw new CliError(`There is no resource "${name}"${suggestion(name, able)}`)
  const found = mixinOf(resource, mixin)
  if (!found) throw new CliError(`${name} ${lacking}. Others do: ${able.join(', ') || 'none'}.`)
  return { resource, mixin: found }
}

/** Compares names, because another copy of this package has other mixin objects. */
function mixinOf<X extends Mixin>({ mixins }: ResourceLike, mixin: X): X | undefined {
  return mixins.find((candidate): candidate is X => candidate.name === mixin.name)
}

export function isResource(value: unknown): value is ResourceLike {
  return typeof value === 'function' && typeof (value as Partial<ResourceLike>).definition === 'object'
}
