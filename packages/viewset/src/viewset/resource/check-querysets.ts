import { is, SQL } from 'drizzle-orm'
import { ConfigError } from '../../core/errors.ts'
import { strangeColumn } from '../../model/drizzle.ts'
import type { Model } from '../../model/kit.ts'
import type { ModelSerializer } from '../../serializer/model-serializer.ts'
import { checkedCondition } from '../../store/checked-condition.ts'
import type { GenericViewSet } from '../generic-viewset.ts'

interface DeclaredScope {
  readonly setting: string
  readonly model: Model
  condition(): unknown
}

/** Calls each condition once, without a user. A column of another table would fail with every request. */
export function checkQuerysets(subject: string, view: GenericViewSet): void {
  for (const { setting, model, condition } of scopesOf(view)) {
    const found = ask(view, condition)
    if (found instanceof Promise) checkedCondition(subject, setting, found)
    const foreign = is(found, SQL) ? strangeColumn(found, model) : undefined
    if (!foreign) continue
    const { table, column } = foreign
    const problem = `names the column "${column}" of "${table}", which is another table; select from that in a subquery`
    throw new ConfigError(subject, setting, `${problem}, such as sql\`exists (select 1 from \${${table}} where ...)\``)
  }
}

/** A condition that needs a user or a request may throw here. Then requests report its errors. */
function ask({ database }: GenericViewSet, condition: () => unknown): unknown {
  try {
    return database.use(condition)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    return undefined
  }
}

function scopesOf(view: GenericViewSet): readonly DeclaredScope[] {
  const { config } = view
  const { model, actions = {} } = config
  const settings = Object.entries(view.definition.rules).map(([setting, rule]) => ({
    setting,
    scope: rule.conditionOf?.(Reflect.get(config, setting)),
  }))
  const ofActions = Object.entries(actions).map(([name, { queryset }]) => ({
    setting: `actions.${name}`,
    scope: queryset as unknown,
  }))
  const ofMixins = view.definition.scopes.map(({ mixin, condition }) => ({
    setting: `scope of ${mixin}`,
    scope: condition as unknown,
  }))
  return [
    ...[...settings, ...ofActions, ...ofMixins].flatMap(({ setting, scope }) =>
      typeof scope === 'function' ? [{ setting, model, condition: () => scope(view) }] : [],
    ),
    ...relationScopes(config.serializer),
  ]
}

function relationScopes({ fields }: ModelSerializer, path = 'serializer'): readonly DeclaredScope[] {
  return fields.flatMap((field): readonly DeclaredScope[] => {
    if (field.kind !== 'stored' && field.kind !== 'many') return []
    const { relation, key } = field
    if (!relation) return []
    const setting = `${path}.${key}`
    const { scope, model } = relation
    const nested = field.kind === 'many' ? field.serializer : field.relation?.serializer
    return [
      ...(scope ? [{ setting, model: model.table, condition: scope }] : []),
      ...(nested ? relationScopes(nested, setting) : []),
    ]
  })
}
