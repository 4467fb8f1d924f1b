import { ConfigError } from '../core/errors.ts'
import type { ActionSpec } from './actions.ts'

/** What a value must be, so that no request stumbles over it. */
interface Rule {
  readonly accepts: (value: unknown) => boolean
  readonly expected: string
}

const isFunction = (value: unknown) => typeof value === 'function'
const isNames = (value: unknown) => Array.isArray(value) && value.every(name => typeof name === 'string')
/** A class has to be made an object of before it can be asked. */
const isClass = (value: unknown) => isFunction(value) && /^class\b/.test(Function.prototype.toString.call(value))
const isPermission = (value: unknown) =>
  (isFunction(value) && !isClass(value)) || isFunction((value as { hasPermission?: unknown } | null)?.hasPermission)

const BOOLEAN: Rule = { accepts: value => typeof value === 'boolean', expected: 'must be true or false' }
const CONDITION: Rule = { accepts: isFunction, expected: 'must be a function that returns a condition' }
const PERMISSIONS: Rule = {
  accepts: value => Array.isArray(value) && value.every(isPermission),
  expected: 'must be a list of permissions: objects with hasPermission, or functions of the view',
}
const SCHEMA: Rule = {
  accepts: value => isFunction((value as { safeParse?: unknown } | null)?.safeParse),
  expected: 'must be a Zod schema',
}

const RULES: Readonly<Record<string, Rule>> = {
  permissionClasses: PERMISSIONS,
  exportPermissionClasses: PERMISSIONS,
  importPermissionClasses: PERMISSIONS,
  queryset: CONDITION,
  fixedValues: { accepts: isFunction, expected: 'must be a function that returns values: view => ({ ... })' },
  checkScope: {
    accepts: value => value === 'create' || value === 'always' || value === 'never',
    expected: "must be 'create', 'always' or 'never'",
  },
  appendIndexes: BOOLEAN,
  returnDataOnCreate: BOOLEAN,
  returnDataOnUpdate: BOOLEAN,
  useSaveOnBulkUpdate: BOOLEAN,
  allowExportData: BOOLEAN,
  destroyStatus: { accepts: value => value === 200 || value === 204, expected: 'must be 200 or 204' },
  allowUnpaginated: {
    accepts: value => typeof value === 'boolean' || isPermission(value),
    expected: 'must be true, false or a permission',
  },
  paginationClass: {
    accepts: value => value === null || isFunction(value),
    expected: 'must be a class such as StandardPageNumberPagination (not an object of it), or null for no pages',
  },
  ordering: {
    accepts: value => typeof value === 'string' || isNames(value),
    expected: 'must be a name or a list of names',
  },
}

const ACTION_RULES: Readonly<Record<string, Rule>> = {
  detail: { ...BOOLEAN, expected: 'must be true for an action on one record, false for one on the list' },
  status: {
    accepts: value => Number.isInteger(value) && Number(value) >= 200 && Number(value) <= 299,
    expected: 'must be a status of success, 200 to 299',
  },
  queryset: CONDITION,
  permissionClasses: {
    accepts: value => PERMISSIONS.accepts(value) && (value as readonly unknown[]).length > 0,
    expected: `${PERMISSIONS.expected}; say [AllowAny] if everyone may use the action`,
  },
  input: SCHEMA,
  output: SCHEMA,
  handler: { accepts: isFunction, expected: 'must be a function' },
}

/** @throws ConfigError for the setting of a resource whose value is of the wrong kind. */
export function checkValues(subject: string, config: object): void {
  const wrong = wrongValue(config, RULES)
  if (wrong) throw new ConfigError(subject, wrong.setting, wrong.expected)
}

/** @throws ConfigError for the setting of a custom action whose value is missing or of the wrong kind. */
export function checkActionValues(subject: string, key: string, action: ActionSpec): void {
  const { detail = null, handler = null } = action
  const wrong = wrongValue({ ...action, detail, handler }, ACTION_RULES)
  if (wrong) throw new ConfigError(subject, key, `${wrong.setting} ${wrong.expected}`)
}

function wrongValue(values: object, rules: Readonly<Record<string, Rule>>) {
  for (const [setting, value] of Object.entries(values)) {
    const rule = rules[setting]
    if (rule && value !== undefined && !rule.accepts(value)) return { setting, expected: rule.expected }
  }
  return undefined
}
