import { ConfigError } from '../core/errors.ts'
import { checkOptions, required, setting } from '../core/setting-rules.ts'
import type { ApiSettings } from '../core/settings.ts'
import { KeyStore } from '../viewset/idempotency/key-store.ts'
import { asResourceClass } from '../viewset/resource/as-resource-class.ts'
import type { ApiOptions } from './api-options.ts'

const RULES = {
  table: required(setting.object, 'give the table idempotencyKeys as IdempotencyTable() of the kit makes it'),
  anonymous: setting.boolean,
}

/** @throws ConfigError for a resource that takes keys if the API has no table for them */
export function apiKeys(
  { idempotency: options, database, resources }: Pick<ApiOptions, 'idempotency' | 'database' | 'resources'>,
  settings: ApiSettings,
): KeyStore | undefined {
  if (options === undefined) {
    for (const [name, value] of Object.entries(resources)) {
      if (!asResourceClass(name, value).definition.config.idempotency) continue
      throw new ConfigError(`resources.${name}`, 'idempotency', 'needs the option idempotency: { table } of the API')
    }
    return undefined
  }
  checkOptions('api.idempotency', RULES, options)
  const { table, anonymous = false } = options
  return new KeyStore(database, table, { anonymous, retention: settings.IDEMPOTENCY.RETENTION })
}
