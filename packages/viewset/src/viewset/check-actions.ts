import { ConfigError } from '../core/errors.ts'
import { type SettingRules, setting } from '../core/setting-rules.ts'
import { suggestion } from '../core/suggestion.ts'
import type { ActionSpec } from './actions.ts'
import { checkActionDescription } from './description/check-description.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

const RULES: SettingRules = {
  method: setting.any,
  detail: { ...setting.boolean, expected: 'must be true for an action on one record, false for one on the list' },
  path: setting.any,
  status: {
    ...setting.any,
    accepts: value => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 299,
    expected: 'must be a status of success, 200 to 299',
  },
  writes: setting.boolean,
  queryset: setting.condition,
  permissionClasses: {
    ...setting.permissions,
    accepts: value => setting.permissions.accepts(value) && (value as readonly unknown[]).length > 0,
    expected: `${setting.permissions.expected}; say [AllowAny] if everyone may use the action`,
  },
  input: setting.schema,
  output: setting.schema,
  describes: setting.object,
  handler: setting.function,
}

export function checkActions(subject: string, actions: Readonly<Record<string, ActionSpec>>): void {
  for (const [name, action] of Object.entries(actions)) checkAction(subject, `actions.${name}`, action)
}

function checkAction(subject: string, key: string, action: ActionSpec): void {
  const known = Object.keys(RULES)
  const stranger = Object.keys(action).find(name => !known.includes(name))
  if (stranger !== undefined) {
    throw new ConfigError(subject, key, `unknown setting "${stranger}"${suggestion(stranger, known)}`)
  }
  if (!METHODS.includes(action.method)) {
    throw new ConfigError(subject, key, `method must be one of ${METHODS.join(', ')}`)
  }
  if (action.path !== undefined && !/^[^\s/?#]+(\/[^\s/?#]+)*$/.test(action.path)) {
    throw new ConfigError(subject, key, `path "${action.path}" must be a part of a path, without a slash at either end`)
  }
  const { detail = null, handler = null } = action
  for (const [name, value] of Object.entries({ ...action, detail, handler })) {
    const rule = RULES[name]
    if (rule && value !== undefined && !rule.accepts(value)) {
      throw new ConfigError(subject, key, `${name} ${rule.expected}`)
    }
  }
  if (action.method === 'GET' && action.input !== undefined) {
    throw new ConfigError(subject, key, 'input is the body, which a GET request has none of; read view.query instead')
  }
  checkActionDescription(`${subject}: ${key}.describes`, action.describes)
}
