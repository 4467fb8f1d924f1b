import { ConfigError } from './errors.ts'
import { refuseUnknown } from './refuse-unknown.ts'

/** The settings group `COMMON` (SPEC "Limits", CONTRACT "Settings"). */
export interface CommonSettings {
  /** Largest number of items of one bulk request. Default 1000. */
  readonly BULK_OPERATION_BATCH_SIZE: number
  /** Largest file that an import takes, in bytes. Default 52,428,800 (50 MB). */
  readonly IMPORT_MAX_FILE_SIZE: number
  /** Milliseconds in which a request's body must have arrived, an upload's apart. Default 30,000. */
  readonly BODY_TIMEOUT: number
  /** Milliseconds in which an upload must have arrived. Default 600,000 (10 minutes). */
  readonly UPLOAD_TIMEOUT: number
  /** Milliseconds in which a client may send nothing of an upload, or take nothing of its answer. Default 30,000. */
  readonly STALL_TIMEOUT: number
  /**
   * What signs cursors, of at least 32 characters: the same in all processes, and nobody else's to know. Default `null`:
   * a key of the process's own, which others do not know either.
   */
  readonly SECRET_KEY: string | null
  /** IANA zone in which datetimes without an offset are read. Default `UTC`. */
  readonly TIME_ZONE: string
  /** Most rows of a PDF, which is made whole and not row by row. Default 10,000. */
  readonly EXPORT_PDF_MAX_ROWS: number
  /** Most rows that a client may send along to have them made a file. Default 10,000. */
  readonly EXPORT_DATA_MAX_ROWS: number
  /**
   * Up to how many results a list counts exactly; above it, `count` is an estimate. Default `null`: every count is exact.
   */
  readonly COUNT_LIMIT: number | null
  /** Imports that run at the same time in this process; the others wait for 30 seconds at most. Default 4. */
  readonly IMPORT_CONCURRENCY: number
}

/** The settings group `JOBS`: work in the background. */
export interface JobSettings {
  /** Milliseconds for which a job that has ended is kept, with its file. Default 604,800,000 (7 days). */
  readonly RETENTION: number
  /** Most jobs of one user that wait or run; a further one is a 429. All requests without a user count as one user. Default 20. */
  readonly UNFINISHED_PER_USER: number
  /** Most jobs of all users that wait or run. Default 1,000. */
  readonly UNFINISHED_TOTAL: number
  /** Most event streams that one user may follow at the same time, in this process. Default 20. */
  readonly STREAMS_PER_USER: number
  /** Whether a request without a user may ask for background work. Default false: it is a 401. */
  readonly ANONYMOUS: boolean
}

/** The settings of an API, all of them resolved. */
export interface ApiSettings {
  readonly COMMON: CommonSettings
  readonly JOBS: JobSettings
}

/** Settings as given at registration: every group and key is optional. */
export type ApiSettingsInput = { readonly [G in keyof ApiSettings]?: Partial<ApiSettings[G]> }

interface Setting<T> {
  readonly default: T
  /** Reads a value; returns `undefined` when it is not acceptable. */
  readonly read: (value: unknown) => T | undefined
  /** The value that a text of the environment stands for; by default, the text. */
  readonly fromText?: (text: string) => unknown
  readonly expected: string
  /** Not to be repeated in a message. */
  readonly secret?: true
}

type Rules<G> = { readonly [K in keyof G]: Setting<G[K]> }

const COMMON: Rules<CommonSettings> = {
  BULK_OPERATION_BATCH_SIZE: wholeNumber(1000),
  IMPORT_MAX_FILE_SIZE: wholeNumber(50 * 1024 ** 2),
  BODY_TIMEOUT: wholeNumber(30_000),
  UPLOAD_TIMEOUT: wholeNumber(600_000),
  STALL_TIMEOUT: wholeNumber(30_000),
  SECRET_KEY: { default: null, read: readSecret, expected: 'a text of at least 32 characters', secret: true },
  TIME_ZONE: { default: 'UTC', read: readTimeZone, expected: 'an IANA time zone such as "Europe/Berlin"' },
  EXPORT_PDF_MAX_ROWS: wholeNumber(10_000),
  EXPORT_DATA_MAX_ROWS: wholeNumber(10_000),
  COUNT_LIMIT: {
    ...wholeNumber(1),
    default: null,
    read: value => (value === null ? null : readPositiveInteger(value)),
    expected: 'a whole number above 0, or null',
  },
  IMPORT_CONCURRENCY: wholeNumber(4),
}

const JOBS: Rules<JobSettings> = {
  RETENTION: wholeNumber(604_800_000),
  UNFINISHED_PER_USER: wholeNumber(20),
  UNFINISHED_TOTAL: wholeNumber(1_000),
  STREAMS_PER_USER: wholeNumber(20),
  ANONYMOUS: { default: false, read: readBoolean, fromText: literalOf, expected: 'true or false' },
}

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
    const group = Object.entries({ COMMON, JOBS }).find(([, rules]) => Object.hasOwn(rules, key))?.[0]
    if (group) throw new ConfigError('settings', key, `is in a group; write settings: { ${group}: { ${key}: ... } }`)
  }
  refuseUnknown('settings', 'setting', Object.keys(input), ['COMMON', 'JOBS'])
  return {
    COMMON: resolveGroup('COMMON', COMMON, input.COMMON, environment),
    JOBS: resolveGroup('JOBS', JOBS, input.JOBS, environment),
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
  const resolve = (key: keyof G & string) => {
    const setting = rules[key]
    const variable = `${name}_${key}`
    const text = environment[variable]
    const value = text ?? given[key]
    if (value === undefined) return setting.default
    const { fromText = String } = setting
    const result = setting.read(text === undefined ? value : fromText(text))
    if (result === undefined) {
      const source = text === undefined ? key : `environment variable ${variable}`
      const named = setting.secret ? 'the value' : JSON.stringify(value)
      // Only texts of the environment are read as numbers: code can write the number.
      const isQuoted = text === undefined && typeof value === 'string' && setting.read(fromText(value)) !== undefined
      const remedy = isQuoted ? `; write ${value} without quotes` : ''
      throw new ConfigError(`settings.${name}`, source, `${named} is not ${setting.expected}${remedy}`)
    }
    return result
  }
  // Each key has the value that its own rule has read.
  return Object.fromEntries(keys.map(key => [key, resolve(key)])) as G
}

function wholeNumber(standard: number): Setting<number> {
  return { default: standard, read: readPositiveInteger, fromText: literalOf, expected: 'a whole number above 0' }
}

/** The settings where nothing is configured; the environment does not count here. */
export const DEFAULT_SETTINGS = resolveSettings({}, {})

function readPositiveInteger(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined
}

function readBoolean(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined
}

const LITERALS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
])

/** The number, boolean or null that a text of the environment stands for; other texts stay as they are. */
function literalOf(text: string): unknown {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  return LITERALS.has(text) ? LITERALS.get(text) : text
}

function readSecret(value: unknown): string | null | undefined {
  return value === null || (typeof value === 'string' && value.length >= 32) ? value : undefined
}

function readTimeZone(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  try {
    new Intl.DateTimeFormat('en', { timeZone: value })
    return value
  } catch {
    return undefined
  }
}
