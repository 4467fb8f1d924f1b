import { ConfigError } from '../../core/errors.ts'
import { suggestion } from '../../core/suggestion.ts'
import type { ColumnInfo, ModelInfo } from '../../model/model-info.ts'
import { TAG_FIELD, trackVersion } from '../../model/version-column.ts'
import { isWritable } from '../../serializer/fields.ts'
import type { ResourceConfig } from '../resource/resource.ts'
import type { ResourceVersion } from '../seams.ts'
import { nestLists } from './nested-lists.ts'

type VersionConfig = Pick<
  ResourceConfig,
  'version' | 'requireIfMatch' | 'appendEtags' | 'cacheControl' | 'serializer' | 'serializers'
>

/**
 * The version of a resource with the setting `version`. From now on, each write of the model increases it.
 *
 * @throws ConfigError for a column that is no version, or that clients may write
 */
export function versionOf(subject: string, model: ModelInfo, config: VersionConfig): ResourceVersion | undefined {
  const { version: field, appendEtags = false } = config
  if (field === undefined) {
    const needing = (['requireIfMatch', 'appendEtags', 'cacheControl'] as const).find(name => config[name])
    if (needing === undefined) return undefined
    throw new ConfigError(subject, needing, "needs the setting version: 'version', the column that counts the changes")
  }
  const column = model.byKey.get(field)
  const refuse = (problem: string) => {
    throw new ConfigError(subject, 'version', problem)
  }
  if (!column) return refuse(`unknown field "${field}"${suggestion(field, model.byKey.keys())}`)
  const problem = problemOf(column)
  if (problem !== undefined) return refuse(`"${field}" ${problem}; c.VersionMixin() adds a column that can`)
  const serializers = [config.serializer, ...(config.serializers ?? [])]
  const isWritten = serializers.some(({ fields }) =>
    fields.some(one => one.kind === 'stored' && one.column === column && isWritable(one)),
  )
  if (isWritten) return refuse(`clients may write "${field}"; add readOnly: ['${field}'] to the serializer`)
  if (appendEtags && serializers.some(({ fields }) => fields.some(({ wire }) => wire === TAG_FIELD))) {
    throw new ConfigError(subject, 'appendEtags', 'the serializer has a field "_etag"; name it otherwise')
  }
  trackVersion(column)
  for (const serializer of serializers) nestLists(serializer)
  return { column, appendsTags: appendEtags }
}

function problemOf(column: ColumnInfo): string | undefined {
  const { kind, nullable, primaryKey, generated, references, bits, ownType, sqlType } = column
  if (nullable) return 'may be null, so it cannot be the version of each record'
  if (primaryKey || generated || references || column.ownKind) return 'has another purpose, so it cannot be a version'
  if (kind === 'bigint' || (kind === 'integer' && bits !== 16)) return undefined
  if (kind !== 'timestamp') return 'cannot count changes: a version is an integer or a timestamp of microseconds'
  const isCoarse = ownType !== undefined || /\((?!6)\d\)/.test(sqlType)
  return isCoarse ? 'does not keep microseconds, so two changes could have one version' : undefined
}
