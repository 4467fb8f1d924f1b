import type * as z from 'zod'
import { ConfigError } from '../core/errors.ts'
import { checkOptions, required, rule, type SettingRule, setting, unchecked } from '../core/setting-rules.ts'
import { suggestion } from '../core/suggestion.ts'
import { wireName } from '../core/wire-names.ts'
import { AUDIT_FIELDS, type ColumnInfo, type ModelInfo, SOFT_DELETE_FIELDS } from '../model/model-info.ts'
import { nameOnlyFor } from '../model/unnamed-columns.ts'
import { isVersionColumn } from '../model/version-column.ts'
import { type ContextualSchema, storableCheck, storableSchema } from './column-schema.ts'
import {
  type ComputedField,
  type DeclaredColumn,
  type DeclaredExpression,
  type DeclaredField,
  type DeclaredInput,
  type DeclaredManyField,
  type ExpressionField,
  type InputField,
  isReadable,
  isWritable,
  type SerializerField,
  type StoredField,
  type TextRules,
  type ToOneRelation,
  type UserTest,
  withTextRules,
} from './fields.ts'
import { manyField, optionsOf, type Place, toOneRelation } from './relations/build-relation.ts'
import { keySchema, relationSchema } from './relations/relation-schema.ts'

interface Settings {
  readonly fields: readonly string[]
  readonly readOnly?: readonly string[]
  readonly writeOnly?: readonly string[]
  readonly extra?: Readonly<
    Record<
      string,
      DeclaredField | DeclaredManyField | DeclaredExpression | DeclaredInput | DeclaredColumn | ComputedField['compute']
    >
  >
  readonly refine?: Readonly<Record<string, z.ZodType | undefined>>
  readonly texts?: Readonly<Record<string, TextRules | undefined>>
  readonly readableBy?: Readonly<Record<string, UserTest>>
  readonly writableBy?: Readonly<Record<string, UserTest>>
  readonly validate?: unknown
}

const fieldList = rule(Array.isArray, 'must be a list of fields')

const RULES: Readonly<Record<keyof Settings | 'name', SettingRule>> = {
  name: unchecked,
  fields: required(setting.list, 'name the fields of the model to show'),
  readOnly: fieldList,
  writeOnly: fieldList,
  extra: setting.object,
  refine: setting.object,
  texts: setting.object,
  readableBy: setting.object,
  writableBy: setting.object,
  validate: rule(setting.function.accepts, 'must be a function of the values'),
}

export function subjectOf({ name }: ModelInfo): string {
  return `BaseModelSerializer(${name})`
}

/**
 * Makes the fields of a serializer.
 *
 * @throws ConfigError for an unknown setting or field, and for a relation to a wrong model.
 */
export function buildFields(info: ModelInfo, config: object = {}): readonly SerializerField[] {
  const subject = subjectOf(info)
  checkOptions(subject, RULES, config, 'setting')
  const { fields, readOnly = [], writeOnly = [], extra = {}, refine = {}, texts = {} } = config as Settings
  const { readableBy = {}, writableBy = {} } = config as Settings
  const names = [...new Set([...fields, ...Object.keys(extra)])]
  const keyed = {
    refine: Object.keys(refine),
    texts: Object.keys(texts),
    readableBy: Object.keys(readableBy),
    writableBy: Object.keys(writableBy),
  }
  for (const [setting, tests] of Object.entries({ readableBy, writableBy })) {
    const wrong = Object.keys(tests).find(name => typeof tests[name] !== 'function')
    if (wrong !== undefined) throw new ConfigError(subject, setting, `"${wrong}" must be a function of the user`)
  }
  for (const [name, mentioned] of Object.entries({ readOnly, writeOnly, ...keyed })) {
    const stranger = mentioned.find(name => !names.includes(name))
    if (stranger === undefined) continue
    throw new ConfigError(subject, name, `"${stranger}" is not among the fields${suggestion(stranger, names)}`)
  }
  for (const [name, schema] of Object.entries(refine)) {
    if (schema !== undefined && typeof schema.safeParse !== 'function') {
      throw new ConfigError(subject, 'refine', `"${name}" must be a Zod schema`)
    }
  }
  const built = names.map((name): SerializerField => {
    const declared = extra[name]
    if (refine[name] && !isColumn(declared)) {
      throw new ConfigError(
        subject,
        'refine',
        `"${name}" is not kept in a column of its own, so no value of it can be refined`,
      )
    }
    if (typeof declared === 'function') return { kind: 'computed', key: name, wire: wireName(name), compute: declared }
    if (declared?.kind === 'expression') return expressionField({ subject, name }, info, declared)
    if (declared?.kind === 'input') return inputField({ subject, name }, info, declared)
    const access = { readOnly: readOnly.includes(name), writeOnly: writeOnly.includes(name) }
    if (declared?.kind === 'toMany') return manyField({ subject, name }, info, wireName(name), declared, access)
    const column = declared?.kind === 'column' ? declared.column : undefined
    const relation = declared?.kind === 'column' ? undefined : declared
    if (relation !== undefined && relation?.kind !== 'toOne') {
      throw new ConfigError(
        subject,
        'extra',
        `"${name}" is no relation field, ExpressionField, InputField, ColumnField or function of a record`,
      )
    }
    return storedField(subject, info, name, {
      declared: relation,
      column,
      ...access,
      refinement: refine[name],
      texts: texts[name],
    })
  })
  refuseDoubleNames(subject, built)
  refuseDoubleWrites(subject, built)
  if (!built.some(isReadable)) {
    throw new ConfigError(subject, 'fields', 'shows nothing; name at least one field that is not write-only')
  }
  refuseVainTests(subject, built, keyed)
  return built.map(field => {
    const { [field.key]: mayRead } = readableBy
    const { [field.key]: mayWrite } = writableBy
    if (mayRead && field.kind === 'stored') nameOnlyFor(field.column, mayRead)
    return { ...field, ...(mayRead && { readableBy: mayRead }), ...(mayWrite && { writableBy: mayWrite }) }
  })
}

/** @throws ConfigError for a test of users who may do what the field allows to no user */
function refuseVainTests(
  subject: string,
  fields: readonly SerializerField[],
  { readableBy, writableBy }: { readonly readableBy: readonly string[]; readonly writableBy: readonly string[] },
): void {
  const unread = fields.find(field => readableBy.includes(field.key) && !isReadable(field))
  if (unread) throw new ConfigError(subject, 'readableBy', `"${unread.key}" is write-only: no user reads it`)
  const unwritten = fields.find(field => writableBy.includes(field.key) && !isWritable(field))
  if (unwritten) throw new ConfigError(subject, 'writableBy', `"${unwritten.key}" is read-only: no user writes it`)
}

function isColumn(declared: NonNullable<Settings['extra']>[string] | undefined): boolean {
  return declared === undefined || (typeof declared === 'object' && ['toOne', 'column'].includes(declared.kind))
}

function expressionField({ subject, name }: Place, info: ModelInfo, declared: DeclaredExpression): ExpressionField {
  if (info.byKey.has(name)) {
    throw new ConfigError(subject, 'extra', `"${info.name}" has a column "${name}"; name the expression otherwise`)
  }
  const { kind, expression, value, notNull } = declared
  return { kind, key: name, wire: wireName(name), expression, value, notNull }
}

function inputField({ subject, name }: Place, info: ModelInfo, { schema }: DeclaredInput): InputField {
  if (info.byKey.has(name)) {
    throw new ConfigError(subject, 'extra', `"${info.name}" has a column "${name}"; name the input otherwise`)
  }
  const wire = wireName(name)
  const required = !schema.safeParse(undefined).success
  return {
    kind: 'input',
    key: name,
    valueKey: name,
    wire,
    input: schema,
    readOnly: false,
    writeOnly: true,
    required,
    schema: () => schema,
    plainCheck: undefined,
  }
}

interface FieldOptions {
  /** The column, if it has another name than the field. */
  readonly column: string | undefined
  readonly declared: DeclaredField | undefined
  readonly readOnly: boolean
  readonly writeOnly: boolean
  readonly refinement: z.ZodType | undefined
  readonly texts: TextRules | undefined
}

function storedField(
  subject: string,
  info: ModelInfo,
  name: string,
  { declared, column: given, readOnly, writeOnly, refinement, texts }: FieldOptions,
): StoredField {
  const place = { subject, name }
  const options = declared && optionsOf(place, declared)
  const columnKey = options?.column ?? given ?? name
  const column = info.byKey.get(columnKey)
  if (!column) {
    const problem = `unknown field "${columnKey}"${suggestion(columnKey, info.byKey.keys())}`
    throw new ConfigError(subject, declared || given ? 'extra' : 'fields', problem)
  }
  // Clients choose a primary key without a default, such as a code, at creation only.
  const filled = column.primaryKey || AUDIT_FIELDS.has(columnKey)
  const isOfSoftDelete = info.softDeletable && SOFT_DELETE_FIELDS.has(columnKey)
  const isManaged = isOfSoftDelete || column.generated || isVersionColumn(column)
  const automatic = isManaged || (filled && column.hasDefault)
  if (writeOnly && (readOnly || automatic)) {
    throw new ConfigError(subject, 'writeOnly', `"${name}" is read-only, so it cannot be write-only`)
  }
  const relation = declared ? toOneRelation(place, info, column, declared) : null
  if (refinement && (relation?.write === 'data' || relation?.write === null)) {
    throw new ConfigError(subject, 'refine', `"${name}" takes no identifier that could be refined`)
  }
  const isReadOnly = readOnly || automatic || options?.readOnly === true || relation?.write === null
  if (refinement && isReadOnly) {
    throw new ConfigError(subject, 'refine', `"${name}" is read-only: clients send no value to refine`)
  }
  const checked = texts ? withTextRules(subject, name, column, texts) : column
  return {
    kind: 'stored',
    refinement,
    checked,
    key: name,
    valueKey: column.key,
    wire: wireName(name),
    column,
    readOnly: isReadOnly,
    writeOnly,
    required: !column.nullable && !column.hasDefault,
    schema: schemaOf(checked, relation, refinement),
    plainCheck:
      refinement || (relation && (relation.write !== 'id' || relation.input)) ? undefined : storableCheck(checked),
    relation,
    nested: relation && (relation.read !== 'id' || relation.scopeReads) ? relation : null,
  }
}

function schemaOf(column: ColumnInfo, relation: ToOneRelation | null, refinement?: z.ZodType): ContextualSchema {
  if (relation) return relationSchema(column, relation, refinement)
  const { references } = column
  return references ? keySchema(column, () => references.column, refinement) : storableSchema(column, refinement)
}

/** If two fields wrote one column, their order would decide. */
function refuseDoubleWrites(subject: string, fields: readonly SerializerField[]): void {
  const seen = new Map<string, string>()
  for (const field of fields) {
    if (!isWritable(field)) continue
    const other = seen.get(field.valueKey)
    if (other !== undefined) {
      const problem = `"${other}" and "${field.key}" both write "${field.valueKey}"; make one of them read-only`
      throw new ConfigError(subject, 'extra', problem)
    }
    seen.set(field.valueKey, field.key)
  }
}

function refuseDoubleNames(subject: string, fields: readonly SerializerField[]): void {
  const seen = new Map<string, string>()
  for (const { key, wire } of fields) {
    const other = seen.get(wire)
    if (other !== undefined) {
      throw new ConfigError(subject, 'fields', `"${other}" and "${key}" are both "${wire}" on the wire`)
    }
    seen.set(wire, key)
  }
}
