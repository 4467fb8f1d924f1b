import { ConfigError } from '../../core/errors.ts'
import { suggestion } from '../../core/suggestion.ts'
import { modelInfo } from '../../model/model-info.ts'
import { isReadable, type SerializerField } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { roomKey } from '../room-key.ts'

/** The settings without their types. */
export interface ChoiceConfig {
  readonly sparseFields?: boolean
  readonly expandableFields?: Readonly<Record<string, ModelSerializer>>
}

/** What a client may choose of the records that it reads. */
export interface ResourceChoice {
  /** Whether `fields` narrows what records show. */
  readonly isSparse: boolean
  /** The serializers with which `expand` shows related records, by the field's name in JSON. */
  readonly expandable: ReadonlyMap<string, ModelSerializer>
}

export const choiceKey = roomKey<ResourceChoice>('choice')

/** @throws ConfigError for a field that shows no related record, and for a serializer of another model */
export function choiceOf(
  subject: string,
  { serializer, sparseFields = false, expandableFields }: ChoiceConfig & { readonly serializer: ModelSerializer },
): ResourceChoice | undefined {
  if (!sparseFields && !expandableFields) return undefined
  const readable = serializer.fields.filter(isReadable)
  const expandable = Object.entries(expandableFields ?? {}).map(([key, shown]) => {
    const refuse = (problem: string) => new ConfigError(subject, 'expandableFields', problem)
    const field = readable.find(one => one.key === key)
    if (!field)
      throw refuse(
        `unknown field "${key}"${suggestion(
          key,
          readable.map(one => one.key),
        )}`,
      )
    const model = relatedModel(field)
    if (!model) throw refuse(`"${key}" refers to no record`)
    if (shown?.model !== model.table) throw refuse(`"${key}" must have a serializer of "${model.name}"`)
    return [field.wire, shown] as const
  })
  return { isSparse: sparseFields, expandable: new Map(expandable) }
}

function relatedModel(field: SerializerField) {
  if (field.kind === 'many') return field.relation.model
  if (field.kind !== 'stored') return undefined
  const { relation, column } = field
  return relation?.model ?? (column.references ? modelInfo(column.references.target) : undefined)
}
