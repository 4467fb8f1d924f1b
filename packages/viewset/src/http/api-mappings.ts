import { checkOptions, required, setting } from '../core/setting-rules.ts'
import { MappingStore } from '../viewset/mappings/mapping-store.ts'
import type { ApiOptions } from './api-options.ts'

const RULES = {
  table: required(setting.object, 'give the table importMappings as ImportMappingTable() of the kit makes it'),
  adminPermissionClasses: setting.permissions,
}

export function apiMappings({ importMappings: options }: Pick<ApiOptions, 'importMappings'>): MappingStore | undefined {
  if (options === undefined) return undefined
  checkOptions('api.importMappings', RULES, options)
  return new MappingStore(options)
}
