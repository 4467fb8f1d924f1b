import { ConfigError } from '../../core/errors.ts'
import type { ModelInfo } from '../../model/model-info.ts'
import type { Mixin } from '../mixin.ts'

/** Mixins whose routes name one record. */
const OF_ONE: ReadonlySet<string> = new Set([
  'CreateModelMixin',
  'RetrieveModelMixin',
  'UpdateModelMixin',
  'DestroyModelMixin',
  'RestoreModelMixin',
])

/** Mixins that need a key, of one column or of several. */
const OF_MANY: ReadonlySet<string> = new Set([
  'BulkCreateModelMixin',
  'BulkDeleteModelMixin',
  'BulkHardDeleteModelMixin',
  'BulkUpdateModelMixin',
  'BulkUpsertModelMixin',
  'BulkRestoreModelMixin',
  'FileImportMixin',
])

/** Mixins that name many records by one value each. */
const BY_ONE_VALUE: ReadonlySet<string> = new Set(['HistoryModelMixin'])

/** @throws ConfigError for a mixin that the model's primary key does not allow */
export function checkKey(
  subject: string,
  { key }: ModelInfo,
  mixins: readonly Mixin[],
  lookupField: string | undefined,
): void {
  if (key.length === 1) return
  const many = mixins.find(({ name }) => BY_ONE_VALUE.has(name) || (key.length === 0 && OF_MANY.has(name)))
  const found =
    key.length === 0 ? 'the table has none' : `it has ${key.length} (${key.map(part => part.key).join(', ')})`
  if (many) throw new ConfigError(subject, 'model', `${many.name} needs a primary key of one column, and ${found}`)
  if (key.length > 1) return
  const readsOne = lookupField === undefined ? undefined : 'RetrieveModelMixin'
  const one = mixins.find(({ name }) => OF_ONE.has(name) && name !== readsOne)
  if (!one) return
  const remedy =
    'compose it of ListModelMixin and FileExportMixin, or name a unique field by lookupField to retrieve by'
  throw new ConfigError(subject, 'model', `${one.name} needs a primary key, and ${found}; ${remedy}`)
}
