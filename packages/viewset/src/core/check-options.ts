import { ConfigError } from './errors.ts'
import { refuseUnknown } from './refuse-unknown.ts'
import type { SettingRules } from './setting-rules.ts'

/** @throws ConfigError for the first option that `rules` do not know, or whose value is none that they accept. */
export function checkOptions(subject: string, rules: SettingRules, options: object): void {
  refuseUnknown(subject, 'option', Object.keys(options), Object.keys(rules))
  for (const [name, value] of Object.entries(options)) {
    const rule = rules[name]
    if (rule && value !== undefined && !rule.accepts(value)) throw new ConfigError(subject, name, rule.expected)
  }
}
