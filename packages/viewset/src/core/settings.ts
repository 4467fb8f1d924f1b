import { ConfigError } from './config-error.ts'
import { refuseUnknown, rule, type SettingRule, setting } from './setting-rules.ts'
import { isMistyped } from './suggestion.ts'

/** The settings group `COMMON`. */
export interface CommonSettings {
  /** Largest number of items of one bulk request. Default 1000. */
  readonly BULK_OPERATION_BATCH_SIZE: number
  /** Largest file that an import takes, in bytes. Default 52,428,800 (50 MB). */
  readonly IMPORT_MAX_FILE_SIZE: number
  /** Milliseconds in which the body of a request must arrive, except uploads. Default 30,000. */
  readonly BODY_TIMEOUT: number
  /** Milliseconds in which an upload must have arrived. Default 600,000 (10 minutes). */
  readonly UPLOAD_TIMEOUT: number
  /** Milliseconds in which a client may send no byte of an upload, or read no byte of its response. Default 30,000. */
  readonly STALL_TIMEOUT: number
  /**
   * The secret that signs cursors, of at least 32 characters: the same in all processes. Default `null`: each process
   * makes its own key, and other processes reject its cursors.
   */
  readonly SECRET_KEY: string | null
  /** IANA zone in which datetimes without an offset are read. Default `UTC`. */
  readonly TIME_ZONE: string
  /** Most rows of a PDF, which is built in memory. Default 10,000. */
  readonly EXPORT_PDF_MAX_ROWS: number
  /** Most rows that a client may send to get them as a file. Default 10,000. */
  readonly EXPORT_DATA_MAX_ROWS: number
  /** Most records of a file for editing, whose changes are compared in memory. Default 50,000. */
  readonly EDIT_MAX_ROWS: number
  /** A list with more results than this has an estimate as `count`. Default `null`: every count is exact. */
  readonly COUNT_LIMIT: number | null
  /** Imports that run at the same time in this process. Others wait for at most 30 seconds. Default 4. */
  readonly IMPORT_CONCURRENCY: number
  /** Most mappings that one user saves for one resource, and most of everyone. One more is a 409. Default 100. */
  readonly IMPORT_MAPPINGS_PER_USER: number
}

/** The settings group `JOBS`: work in the background. */
export interface JobSettings {
  /** Milliseconds for which an ended job and its file are kept. Default 604,800,000 (7 days). */
  readonly RETENTION: number
  /**
   * Most waiting and running jobs of one user; another one is rejected with 429. All requests without a user count as
   * one user. Default 20.
   */
  readonly UNFINISHED_PER_USER: number
  /** Most waiting and running jobs of all users. Default 1,000. */
  readonly UNFINISHED_TOTAL: number
  /** Most event streams that one user may open at the same time, in this process. Default 20. */
  readonly STREAMS_PER_USER: number
  /** Whether a request without a user may start a background job. Default false: 401. */
  readonly ANONYMOUS: boolean
}

/** The settings group `IDEMPOTENCY`: requests that are carried out once. */
export interface IdempotencySettings {
  /** Milliseconds for which the answer of a key is kept. Default 86,400,000 (24 hours). */
  readonly RETENTION: number
}

/** The settings group `HISTORY`: entries of changes. */
export interface HistorySettings {
  /**
   * Milliseconds for which entries are kept. Those of one job go together, when the last of them has expired. Default
   * `null`: for ever.
   */
  readonly RETENTION: number | null
}

/** The settings of an API, complete. */
export interface ApiSettings {
  readonly COMMON: CommonSettings
  readonly JOBS: JobSettings
  readonly IDEMPOTENCY: IdempotencySettings
  readonly HISTORY: HistorySettings
}

/** Settings as given at registration: every group and key is optional. */
export type ApiSettingsInput = { readonly [G in keyof ApiSettings]?: Partial<ApiSettings[G]> }

interface Setting<T> extends SettingRule {
  readonly default: T
  /** Converts the text of an environment variable. Default: the text itself. */
  readonly fromText?: (text: string) => unknown
  readonly secret?: true
}

type Rules<G> = { readonly [K in keyof G]: Setting<G[K]> }

const COMMON: Rules<CommonSettings> = {
  BULK_OPERATION_BATCH_SIZE: wholeNumber(1000),
  IMPORT_MAX_FILE_SIZE: wholeNumber(50 * 1024 ** 2),
  BODY_TIMEOUT: wholeNumber(30_000),
  UPLOAD_TIMEOUT: wholeNumber(600_000),
  STALL_TIMEOUT: wholeNumber(30_000),
  SECRET_KEY: { ...rule(isSecret, 'must be a text of at least 32 characters'), default: null, secret: true },
  TIME_ZONE: { ...rule(isTimeZone, 'must be an IANA time zone such as "Europe/Berlin"'), default: 'UTC' },
  EXPORT_PDF_MAX_ROWS: wholeNumber(10_000),
  EXPORT_DATA_MAX_ROWS: wholeNumber(10_000),
  EDIT_MAX_ROWS: wholeNumber(50_000),
  COUNT_LIMIT: numberOrNull(),
  IMPORT_CONCURRENCY: wholeNumber(4),
  IMPORT_MAPPINGS_PER_USER: wholeNumber(100),
}

const JOBS: Rules<JobSettings> = {
  RETENTION: wholeNumber(604_800_000),
  UNFINISHED_PER_USER: wholeNumber(20),
  UNFINISHED_TOTAL: wholeNumber(1_000),
  STREAMS_PER_USER: wholeNumber(20),
  ANONYMOUS: { ...setting.boolean, default: false, fromText: literalOf },
}

const IDEMPOTENCY: Rules<IdempotencySettings> = {
  RETENTION: wholeNumber(86_400_000),
}

const HISTORY: Rules<HistorySettings> = {
  RETENTION: numberOrNull(),
}

const GROUPS = { COMMON, JOBS, IDEMPOTENCY, HISTORY }

/**
 * Completes `input` with the environment (`COMMON_TIME_ZONE` overrides `COMMON.TIME_ZONE`) and the defaults.
 *
 * @throws ConfigError for an unknown group or key and for a value of the wrong kind.
 * @example
 * resolveSettings({ COMMON: { BULK_OPERATION_BATCH_SIZE: 500 } })
 */
export function resolveSettings(
  input: ApiSettingsInput = {},
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ApiSettings {
  for (const key of Object.keys(input)) {
    const group = Object.entries(GROUPS).find(([, rules]) => Object.hasOwn(rules, key))?.[0]
    if (group) throw new ConfigError('settings', key, `is in a group; write settings: { ${group}: { ${key}: ... } }`)
  }
  refuseUnknown('settings', 'setting', Object.keys(input), Object.keys(GROUPS))
  return {
    COMMON: resolveGroup('COMMON', COMMON, input.COMMON, environment),
    JOBS: resolveGroup('JOBS', JOBS, input.JOBS, environment),
    IDEMPOTENCY: resolveGroup('IDEMPOTENCY', IDEMPOTENCY, input.IDEMPOTENCY, environment),
    HISTORY: resolveGroup('HISTORY', HISTORY, input.HISTORY, environment),
  }
}

function resolveGroup<G extends object>(
  name: string,
  rules: Rules<G>,
  given: Readonly<Record<string, unknown>> = {},
  environment: Readonly<Record<string, string | undefined>>,
): G {
  const keys = Object.keys(rules) as (keyof G & string)[]
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new ConfigError('settings', name, `must be an object: { ${keys[0]}: ... }`)
  }
  refuseUnknown(`settings.${name}`, 'setting', Object.keys(given), keys)
  refuseMistypedVariables(name, keys, environment)
  const resolve = (key: keyof G & string) => {
    const { accepts, expected, fromText = String, secret, default: standard } = rules[key]
    const variable = `${name}_${key}`
    const text = environment[variable]
    const value = text ?? given[key]
    if (value === undefined) return standard
    const result = text === undefined ? value : fromText(text)
    if (!accepts(result)) {
      const source = text === undefined ? key : `environment variable ${variable}`
      const named = secret ? 'the value' : JSON.stringify(value)
      // Only texts of the environment are read as numbers: code can write the number.
      const isQuoted = text === undefined && typeof value === 'string' && accepts(fromText(value))
      const remedy = isQuoted ? `; write ${value} without quotes` : ''
      throw new ConfigError(`settings.${name}`, source, `${named} is not ${expected.replace('must be ', '')}${remedy}`)
    }
    return result
  }
  return Object.fromEntries(keys.map(key => [key, resolve(key)])) as G
}

/** Other programs may have variables with the same beginning, so only a mistyped name is an error. */
function refuseMistypedVariables(name: string, keys: readonly string[], environment: object): void {
  const variables = keys.map(key => `${name}_${key}`)
  for (const given of Object.keys(environment)) {
    if (!given.startsWith(`${name}_`) || variables.includes(given)) continue
    const meant = variables.find(variable => isMistyped(given, variable))
    if (meant === undefined) continue
    throw new ConfigError(`settings.${name}`, `environment variable ${given}`, `is unknown; did you mean "${meant}"?`)
  }
}

function numberOrNull(): Setting<number | null> {
  const accepts = (value: unknown) => value === null || setting.wholeNumber.accepts(value)
  return { ...rule(accepts, 'must be a whole number above 0, or null'), default: null, fromText: literalOf }
}

function wholeNumber(standard: number): Setting<number> {
  return { ...setting.wholeNumber, default: standard, fromText: literalOf }
}

export const DEFAULT_SETTINGS = resolveSettings({}, {})

const LITERALS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** Other texts stay as they are. */
function literalOf(text: string): unknown {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  return LITERALS.has(text) ? LITERALS.get(text) : text
}

function isSecret(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.length >= 32)
}

function isTimeZone(value: unknown): boolean {
  if (typeof value !== 'string') return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    return true
  } catch {
    return false
  }
}
