import type { Part } from './parts.ts'
import { VERSIONS } from './versions.ts'

/** The text of `package.json`: the template with the scripts and packages of the parts. */
export function manifestOf(template: string, parts: readonly Part[]): string {
  const common = JSON.parse(template)
  const manifest = {
    ...common,
    scripts: Object.assign({}, ...parts.map(({ scripts }) => scripts), common.scripts),
    dependencies: withVersions(parts.flatMap(({ dependencies }) => dependencies)),
    devDependencies: withVersions(parts.flatMap(({ devDependencies }) => devDependencies)),
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

/** In npm's order. */
function withVersions(names: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(names.toSorted().map(name => [name, VERSIONS[name]]))
}
