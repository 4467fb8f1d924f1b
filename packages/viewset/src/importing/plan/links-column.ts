import { suggestion } from '../../core/suggestion.ts'
import { wireName } from '../../core/wire-names.ts'
import { has } from '../../kinds/kinds.ts'
import { type ModelInfo, modelInfo } from '../../model/model-info.ts'
import type { ManyField } from '../../serializer/fields.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { joinTable } from '../../serializer/relations/build-relation.ts'
import { readQueryset } from '../../serializer/relations/scoped.ts'
import { hasJoinTable, type ToManyRelation } from '../../store/to-many.ts'
import { type ImportManyToMany, LINK_SEPARATOR } from '../config.ts'
import type { ConfigCheck } from './config-check.ts'
import { standInColumn } from './deletion-column.ts'
import type { PlannedColumn } from './headers.ts'
import type { ImportLookup } from './plan.ts'
import { allScopes } from './with-serializer.ts'

/**
 * The column of a relation to many, whose cells name the linked records. The serializer's field completes the
 * configuration.
 *
 * @throws ConfigError
 */
export function linksColumn(
  check: ConfigCheck,
  at: string,
  owner: ModelInfo,
  name: string,
  config: ImportManyToMany,
  serializer: ModelSerializer | undefined,
): PlannedColumn {
  check.keys(at, config, ['model', 'lookupField', 'sourceField', 'separator', 'through', 'throughFields'])
  const { lookupField, sourceField, separator = LINK_SEPARATOR } = config
  if (owner.byKey.has(name)) check.refuse(at, `"${name}" is a column of "${owner.name}"; name the relation otherwise`)
  const read = readQueryset(`${check.subject}: ${at}`, config.model)
  if (!read) return check.refuse(`${at}.model`, 'must be a model, or scoped(model, where)')
  const model = modelInfo(read.model)
  const by = model.byKey.get(lookupField)
  if (!by || !has(by, 'comparable')) {
    const problem = by
      ? `"${lookupField}" is of a type by which no record can be found`
      : unknownField(model, lookupField)
    return check.refuse(`${at}.lookupField`, problem)
  }
  const isText = (text: unknown) => typeof text === 'string' && text.trim() !== ''
  check.that(
    isText(sourceField),
    `${at}.sourceField`,
    'is required; name the column of the file that names the records',
  )
  const isSeparator = isText(separator) && !separator.includes('"')
  check.that(isSeparator, `${at}.separator`, 'must be a text that is not blank and has no double quote')
  const declared = serializer?.model === owner.table ? manyField(serializer, name) : undefined
  const scope = allScopes([read.scope, declared?.relation.scope])
  const relation = { ...relationOf(check, at, owner, name, model, config, declared), scope }
  const ignoreCase = model.uniques.some(unique => unique.ignoreCase && unique.columns.every(column => column === by))
  const lookup: ImportLookup = { model, by, ignoreCase, target: relation.relatedKey, scope }
  return {
    header: sourceField,
    name: sourceField,
    isSourceField: true,
    column: standInColumn(by, name),
    lookup,
    links: { relation, separator },
    required: false,
  }
}

function unknownField(model: ModelInfo, field: string): string {
  return `unknown field "${field}" of "${model.name}"${suggestion(String(field), model.byKey.keys())}`
}

function manyField({ fields }: ModelSerializer, name: string): ManyField | undefined {
  const field = fields.find(({ key }) => key === name)
  return field?.kind === 'many' ? field : undefined
}

function relationOf(
  check: ConfigCheck,
  at: string,
  owner: ModelInfo,
  name: string,
  model: ModelInfo,
  { through, throughFields }: ImportManyToMany,
  declared: ManyField | undefined,
): ToManyRelation {
  if (through !== undefined) {
    const links = joinTable(check.place(at), owner, model, { through, ...(throughFields && { throughFields }) })
    const wire = wireName(name)
    return {
      wire,
      model,
      scope: undefined,
      scopeWithDeleted: undefined,
      scopeReads: false,
      readScope: undefined,
      softDelete: false,
      ordering: [],
      limit: undefined,
      ...links,
    }
  }
  if (!declared) {
    const problem = 'is required: name the join table, or give the serializer a relation to many of this name'
    return check.refuse(`${at}.through`, problem)
  }
  const { relation } = declared
  if (relation.model.table !== model.table) {
    check.refuse(`${at}.model`, `"${name}" relates to "${relation.model.name}", not to "${model.name}"`)
  }
  if (!hasJoinTable(relation)) {
    check.refuse(at, `"${name}" has no join table: import "${model.name}", which has the foreign key`)
  }
  return relation
}
