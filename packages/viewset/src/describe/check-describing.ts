import { ConfigError } from '../core/errors.ts'
import { checkOptions, type SettingRules, setting } from '../core/setting-rules.ts'

/** What the values of each option must be. */
const RULES = {
  openapi: {
    permissionClasses: setting.permissions,
    info: setting.object,
    errors: setting.refusals,
    change: setting.function,
  },
  schema: { permissionClasses: setting.permissions },
  docs: { permissionClasses: setting.permissions, title: setting.text },
} as const

/** `info` of a document (OpenAPI 3.1, "Info Object"). */
const INFO: SettingRules = {
  title: setting.text,
  version: setting.text,
  summary: setting.text,
  description: setting.text,
  termsOfService: setting.text,
  contact: setting.object,
  license: setting.object,
}

/** @throws ConfigError for an option that is written wrongly: at start, and not when somebody asks for the document. */
export function checkDescribing(options: { readonly [K in keyof typeof RULES]?: unknown }): void {
  for (const [name, rules] of Object.entries(RULES)) {
    const value = options[name as keyof typeof RULES] ?? false
    if (typeof value === 'boolean') continue
    if (!setting.object.accepts(value)) {
      throw new ConfigError('api', name, `must be true, false or an object: { ${Object.keys(rules).join(', ')} }`)
    }
    const given = value as { readonly info?: object }
    checkOptions(`api.${name}`, rules, given)
    checkOptions(`api.${name}.info`, INFO, given.info ?? {})
  }
}
