import { TAG_FIELD } from '../../model/version-column.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { representation } from '../../serializer/output/representation.ts'
import type { Representation } from '../../serializer/output/row-writer.ts'
import type { Values } from '../../store/write/write.ts'
import type { ResourceDefinition } from '../resource/resource.ts'
import { tagOf } from './tags.ts'
import { versionKey } from './version-key.ts'

// Items of lists and of bulk answers. With the setting `appendEtags`, each has its tag.

/** How items are written: only from their columns, or from whole rows of the model. */
export type ItemRepresentations = Pick<ModelSerializer, 'listed' | 'recorded'>

interface ItemsView {
  readonly definition: Pick<ResourceDefinition, 'model' | 'states'>
  getSerializer(): ModelSerializer
}

const tagged = new WeakMap<ItemsView['definition'], WeakMap<ModelSerializer, ItemRepresentations>>()

export function itemRepresentations({ definition }: ItemsView, serializer: ModelSerializer): ItemRepresentations {
  const version = versionKey.of(definition)
  if (!version?.appendsTags) return serializer
  const known = tagged.get(definition) ?? new WeakMap<ModelSerializer, ItemRepresentations>()
  tagged.set(definition, known)
  const written = (columns: 'needed' | 'all'): Representation =>
    representation(definition.model, serializer.fields, columns, { tag: version.column })
  const made = known.get(serializer) ?? { listed: written('needed'), recorded: written('all') }
  known.set(serializer, made)
  return made
}

/** An item that an overridden `serialize` has made, with its tag. */
export function taggedItem({ definition }: ItemsView, item: object, record: Values): object {
  const version = versionKey.of(definition)
  if (!version?.appendsTags) return item
  return { ...item, [TAG_FIELD]: tagOf(version.column, record[version.column.key]) }
}
