import type { SettingRules } from './setting-rules.ts'

/** Who reads a setting, of all mixins and filters that exist. */
const owners = new Map<string, string[]>()

/** Notes that `owner` reads these settings, so that a resource which lacks it can say so. */
export function claimSettings(owner: string, settings: SettingRules): void {
  for (const setting of Object.keys(settings)) owners.set(setting, [...(owners.get(setting) ?? []), owner])
}

/** Those who read a setting, as a sentence names them. */
export function settingOwner(setting: string): string | undefined {
  // The single-record mixin first: it is the one that is usually meant.
  return owners
    .get(setting)
    ?.toSorted((a, b) => a.length - b.length)
    .join(' or ')
}
