import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Of these npm packages, those that are not installed. */
export function missingPackages(names: readonly string[]): readonly string[] {
  return names.filter(name => !isInstalled(name))
}

function isInstalled(name: string): boolean {
  try {
    require.resolve(`${name}/package.json`)
    return true
  } catch (error) {
    // Not every package exports its package.json.
    return (error as NodeJS.ErrnoException).code === 'ERR_PACKAGE_PATH_NOT_EXPORTED'
  }
}
