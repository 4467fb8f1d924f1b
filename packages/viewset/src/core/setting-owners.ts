import type { SettingRules } from './setting-rules.ts'

/** Who reads a setting, of all mixins that exist. */
const owners = new Map<string, { readonly name: string; readonly isFoundation: boolean }[]>()

/**
 * Notes that a mixin reads these settings, so that a resource which lacks it can say so. A foundation is there for others
 * to build on: they are named instead of it.
 */
export function claimSettings(name: string, settings: SettingRules, isFoundation: boolean): void {
  for (const setting of Object.keys(settings)) {
    owners.set(setting, [...(owners.get(setting) ?? []), { name, isFoundation }])
  }
}

/** Those who read a setting, as a sentence names them. */
export function settingOwner(setting: string): string | undefined {
  const known = owners.get(setting) ?? []
  const named = known.some(({ isFoundation }) => !isFoundation) ? known.filter(owner => !owner.isFoundation) : known
  if (named.length === 0) return undefined
  // The single-record mixin first: it is the one that is usually meant.
  return named
    .map(({ name }) => name)
    .toSorted((a, b) => a.length - b.length)
    .join(' or ')
}
