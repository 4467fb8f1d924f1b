import { eq, type SQL, sql } from 'drizzle-orm'
import { CIRCULAR_IMPORT, shown } from '../../core/config-error.ts'
import { ConfigError } from '../../core/errors.ts'
import {
  IN_BRACKETS,
  problemOf,
  refuseUnknown,
  type SettingRule,
  type SettingRules,
  setting,
  settingOwner,
} from '../../core/setting-rules.ts'
import { suggestion } from '../../core/suggestion.ts'
import { historyOf } from '../../model/history.ts'
import type { Model } from '../../model/kit.ts'
import { modelInfo } from '../../model/model-info.ts'
import { slugColumns } from '../../model/slug-column.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import type { Values } from '../../store/write/write.ts'
import { checkActions } from '../actions.ts'
import { checkResourceDescription } from '../description/route-description.ts'
import type { Mixin } from '../mixin.ts'
import type { DraftResource, Partition, Room } from '../room.ts'
import type { MixinHeaders } from '../seams.ts'
import { checkKey } from './check-key.ts'
import { lookupOf } from './lookup-field.ts'
import { reserveRoutes } from './reserve-paths.ts'
import type { ResourceConfig, ResourceDefinition } from './resource.ts'

const BASE_SETTINGS: SettingRules = {
  model: setting.any,
  serializer: setting.any,
  serializers: setting.list,
  permissionClasses: setting.permissions,
  queryset: setting.condition,
  fixedValues: { ...setting.function, expected: 'must be a function that returns values: view => ({ ... })' },
  checkScope: setting.oneOf('create', 'always', 'never'),
  lookupField: setting.text,
  singleton: setting.boolean,
  unknownParameters: setting.oneOf('refuse', 'ignore'),
  idempotency: {
    ...setting.any,
    accepts: value =>
      typeof value === 'boolean' || (Array.isArray(value) && value.every(name => typeof name === 'string')),
    expected: "must be true, false or a list of actions, such as ['create', 'bulkCreate']",
  },
  isolation: {
    ...setting.any,
    accepts: value =>
      value === 'serializable' ||
      (typeof value === 'object' && value !== null && Object.values(value).every(one => one === 'serializable')),
    expected: "must be 'serializable', or that by action: { create: 'serializable' }",
  },
  actions: setting.any,
  verboseName: setting.text,
  verboseNamePlural: setting.text,
  describes: setting.object,
}

function settingRules(rooms: readonly Room[], mixins: readonly Mixin[], config: ResourceConfig): SettingRules {
  const ofMixins = mixins.map(mixin => ({ ...mixin.settings, ...mixin.moreSettings(config) }))
  return [baseSettings(rooms), ...ofMixins].reduce(together)
}

function baseSettings(rooms: readonly Room[]): SettingRules {
  return [BASE_SETTINGS, ...rooms.map(({ settings }) => settings)].reduce(together)
}

/** Combines rules. A setting with two rules has to meet both. */
function together(some: SettingRules, others: SettingRules): SettingRules {
  const both = Object.entries(others).map(([name, rule]): [string, SettingRule] => {
    const other = some[name]
    if (!other || other === rule) return [name, rule]
    const accepts = (value: unknown) => other.accepts(value) && rule.accepts(value)
    const expected = [...new Set([other.expected, rule.expected])].filter(Boolean).join(' and ')
    return [name, { ...other, ...rule, accepts, expected, shared: other.shared || rule.shared }]
  })
  return { ...some, ...Object.fromEntries(both) }
}

/** The types find most mistakes. These checks are for a spread, or for plain JavaScript. */
export function defineResource(
  rooms: readonly Room[],
  mixins: readonly Mixin[],
  config: ResourceConfig,
): ResourceDefinition {
  const subject = `resource of "${nameOf(config.model)}"`
  const rules = settingRules(rooms, mixins, config)
  refuseUnknownSettings(subject, rules, config)
  if (config.serializer?.model !== config.model) {
    throw new ConfigError(subject, 'serializer', serializerProblem(config.serializer))
  }
  checkSerializers(subject, config)
  if (!Array.isArray(config.permissionClasses) || config.permissionClasses.length === 0) {
    throw new ConfigError(subject, 'permissionClasses', permissionsProblem(config.permissionClasses))
  }
  checkValues(subject, rules, config)
  checkActions(subject, config.actions ?? {})
  checkActionNames(subject, config.actions ?? {}, mixins)
  checkResourceDescription(subject, config.describes)
  const states = new Map<object, unknown>()
  const model = modelInfo(config.model)
  // Checks the options of the model's history.
  historyOf(model.table)
  // Checks the options of its slugs.
  slugColumns(model)
  const attached = attachedTo({ subject, model, config, states }, rooms, states)
  const seams = seamsOf(subject, config, attached, mixins)
  const { lookupField } = config
  checkKey(subject, model, mixins, lookupField)
  const within = seams.partitions.find(({ isInPath }) => !isInPath)
  const lookup = lookupOf(subject, model, config, within?.column)
  reserveRoutes({ lookup, config }, mixins)
  const definition = { subject, model, config, lookup, rules, states, attached, ...seams }
  for (const mixin of mixins) states.set(mixin, mixin.define(definition))
  return definition
}

type Seams = Pick<
  ResourceDefinition,
  'partitions' | 'doors' | 'scopes' | 'fixedValues' | 'guards' | 'arounds' | 'headers'
>

/** The parts of rooms and mixins by kind. */
function seamsOf(
  subject: string,
  config: ResourceConfig,
  attached: ResourceDefinition['attached'],
  mixins: readonly Mixin[],
): Seams {
  return {
    partitions: attached.flatMap(({ partition }) => partition ?? []),
    doors: attached.flatMap(({ door }) => door ?? []),
    scopes: [
      ...mixins.flatMap(({ name, scope }) => (scope ? [{ mixin: name, condition: scope }] : [])),
      ...attached.flatMap(({ name, partition, scope }) => [
        ...(scope ? [{ mixin: name, condition: scope }] : []),
        ...(partition ? [{ mixin: name, condition: scopeOf(partition) }] : []),
      ]),
    ],
    fixedValues: [
      ...mixins.flatMap(({ fixedValues }) => fixedValues ?? []),
      ...attached.flatMap(({ partition, fixedValues }) => [
        ...(fixedValues ? [fixedValues] : []),
        ...(partition ? [valuesOf(partition)] : []),
      ]),
    ],
    guards: [...attached, ...mixins].flatMap(({ name, guard }) => (guard ? [{ mixin: name, guard }] : [])),
    arounds: [...attached.flatMap(({ arounds = [] }) => arounds), ...mixins.flatMap(({ around }) => around ?? [])],
    headers: [
      ...attached.flatMap(({ headers = [] }) => headers),
      ...mixins.flatMap(mixin => headersOf(subject, mixin, config)),
    ],
  }
}

/** What the rooms attach, in their order. A room finds what those before it keep. */
function attachedTo(
  draft: DraftResource,
  rooms: readonly Room[],
  states: Map<object, unknown>,
): ResourceDefinition['attached'] {
  return rooms.flatMap(room => {
    const attached = room.attach(draft)
    if (!attached) return []
    states.set(room.key, attached.state)
    return [{ name: room.key.name, ...attached }]
  })
}

function scopeOf({ column, of }: Partition): (view: never) => SQL {
  return view => {
    const value = of(view)
    // A view without a request has none.
    return value === undefined ? sql`false` : eq(column.column, value)
  }
}

function valuesOf({ column, of }: Partition): (view: never) => Values {
  return view => ({ [column.key]: of(view) })
}

/** Permissions, descriptions, clients and settings know an action by its name. */
function checkActionNames(
  subject: string,
  actions: NonNullable<ResourceConfig['actions']>,
  mixins: readonly Mixin[],
): void {
  for (const name of Object.keys(actions)) {
    const owner = mixins.find(({ routes }) => routes.some(({ action }) => action === name))
    if (!owner) continue
    const problem =
      `is an action of ${owner.name}; give this one another name, or change the standard action ` +
      `by overriding ${name}() in a class that extends the viewset`
    throw new ConfigError(subject, `actions.${name}`, problem)
  }
}

function serializerProblem(serializer: unknown): string {
  const remedy = 'make it with BaseModelSerializer(model, ...)'
  if (serializer === undefined) return `is undefined; ${remedy}; ${CIRCULAR_IMPORT}`
  const { info } = (serializer ?? {}) as Partial<ModelSerializer>
  return info
    ? `is a serializer of "${info.name}", not of the resource's model; ${remedy}`
    : `is not a serializer of the resource's model; ${remedy}`
}

function permissionsProblem(given: unknown): string {
  if (given !== undefined && given !== null && !Array.isArray(given)) return `must be a list: ${IN_BRACKETS}`
  return 'is required; say [AllowAny] if everyone may use the resource'
}

function headersOf(subject: string, { name, headers }: Mixin, config: ResourceConfig): readonly MixinHeaders[] {
  if (!headers) return []
  const { byKey } = modelInfo(config.model)
  const columns = headers.reads(config as never).map(field => {
    const column = byKey.get(field)
    if (column) return column
    throw new ConfigError(subject, `headers of ${name}`, `unknown field "${field}"${suggestion(field, byKey.keys())}`)
  })
  return [{ columns, of: headers.of }]
}

function checkSerializers(subject: string, { model, serializer, serializers }: ResourceConfig): void {
  if (!Array.isArray(serializers)) return
  const refuse = (problem: string) => {
    throw new ConfigError(subject, 'serializers', problem)
  }
  if (serializers.some(other => other?.model !== model)) refuse("must be serializers of the resource's model")
  if (!serializers.includes(serializer)) refuse('must include the serializer of the resource')
}

export function checkDefaults(
  rooms: readonly Room[],
  mixins: readonly Mixin[],
  defaults: Partial<ResourceConfig>,
): void {
  const subject = 'defaults of a viewset'
  const base = baseSettings(rooms)
  const ofEvery = Object.entries(base).filter(([, rule]) => rule.shared)
  const rules = mixins.map(mixin => mixin.settings).reduce(together, Object.fromEntries(ofEvery))
  for (const name of Object.keys(defaults)) {
    const isOwn = Object.hasOwn(base, name) ? !base[name]?.shared : rules[name]?.shared === false
    if (isOwn) throw new ConfigError(subject, name, 'is for each resource to say')
  }
  refuseUnknownSettings(subject, rules, defaults)
  for (const [name, value] of Object.entries(defaults)) checkValue(subject, rules, name, value)
}

function nameOf(model: unknown): string {
  if (model === undefined || model === null) throw new ConfigError('resource', 'model', 'is required; give a table')
  if (typeof model !== 'object') throw new ConfigError('resource', 'model', `must be a table, not ${shown(model)}`)
  return modelInfo(model as Model).name
}

/** A setting of a mixin that the resource lacks gets another message than an unknown setting. */
function refuseUnknownSettings(subject: string, rules: SettingRules, config: object): void {
  const known = Object.keys(rules)
  for (const name of Object.keys(config)) {
    const owner = known.includes(name) ? undefined : settingOwner(name)
    if (owner) throw new ConfigError(subject, name, `needs ${owner}, which this viewset does not include`)
  }
  refuseUnknown(subject, 'setting', Object.keys(config), known)
}

function checkValues(subject: string, rules: SettingRules, config: object): void {
  for (const [name, { required }] of Object.entries(rules)) {
    const value: unknown = Reflect.get(config, name)
    if (value !== undefined) checkValue(subject, rules, name, value)
    else if (required) throw new ConfigError(subject, name, `is required; ${required}`)
  }
}

function checkValue(subject: string, rules: SettingRules, name: string, value: unknown): void {
  const rule = rules[name]
  if (rule && value !== undefined && !rule.accepts(value)) throw new ConfigError(subject, name, problemOf(rule, value))
}
