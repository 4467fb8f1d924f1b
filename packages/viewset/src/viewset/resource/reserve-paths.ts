import type { ColumnInfo } from '../../model/model-info.ts'
import { reserveValues } from '../../model/reserved-values.ts'
import type { Mixin } from '../mixin.ts'
import type { ResourceConfig } from './resource.ts'

interface WithLookup {
  readonly lookup: ColumnInfo | undefined
  readonly config: Pick<ResourceConfig, 'lookupField' | 'singleton' | 'actions'>
}

/**
 * Keeps the fixed parts of a resource's paths from the values of its lookup field. Otherwise `/labels/export/` would be
 * the export, and never the label `export`.
 */
export function reserveRoutes(resource: WithLookup, mixins: readonly Pick<Mixin, 'routes'>[]): void {
  const { actions = {} } = resource.config
  const ofActions = Object.entries(actions).flatMap(([name, { detail, path = name }]) => (detail ? [] : [path]))
  reservePaths(resource, [...mixins.flatMap(({ routes }) => routes.map(({ path }) => path)), ...ofActions])
}

interface NamedResource {
  readonly name: string
  readonly resource: { readonly definition: WithLookup }
}

/** The same for resources below others: `/labels/drafts/` is the list of the resource `labels/drafts`. */
export function reserveResourcesBelow(resources: readonly NamedResource[]): void {
  for (const { name, resource } of resources) {
    const below = resources.flatMap(other => (other.name.startsWith(`${name}/`) ? other.name.slice(name.length) : []))
    reservePaths(resource.definition, below)
  }
}

/** `paths` are below the resource. */
function reservePaths({ lookup, config: { lookupField, singleton } }: WithLookup, paths: readonly string[]): void {
  if (lookupField === undefined || singleton || lookup?.kind !== 'text') return
  const parts = paths.flatMap(path => path.split('/').find(Boolean) ?? [])
  // No address has the parts `.` and `..` (RFC 3986, 5.2.4).
  reserveValues(lookup, ['.', '..', ...parts.filter(part => !part.startsWith(':'))])
}
