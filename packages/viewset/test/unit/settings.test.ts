import { describe, expect, test } from 'vitest'
import { resolveSettings } from '../../src/core/settings.ts'
import { problemOf } from '../support/problem.ts'

describe('the settings refuse', () => {
  test.each<[object, string]>([
    [{ COMON: {} }, 'settings: COMON: unknown setting; did you mean "COMMON"?'],
    [
      { BULK_OPERATION_BATCH_SIZE: 5 },
      'settings: BULK_OPERATION_BATCH_SIZE: is in a group; write settings: { COMMON: { BULK_OPERATION_BATCH_SIZE: ... } }',
    ],
    [{ RETENTION: 5 }, 'settings: RETENTION: is in a group; write settings: { JOBS: { RETENTION: ... } }'],
    [{ COMMON: null }, 'settings: COMMON: must be an object: { BULK_OPERATION_BATCH_SIZE: ... }'],
    [{ COMMON: { TIMEZONE: 'UTC' } }, 'settings.COMMON: TIMEZONE: unknown setting; did you mean "TIME_ZONE"?'],
    [
      { COMMON: { TIME_ZONE: 'Berlin' } },
      'settings.COMMON: TIME_ZONE: "Berlin" is not an IANA time zone such as "Europe/Berlin"',
    ],
    [
      { COMMON: { BULK_OPERATION_BATCH_SIZE: 0 } },
      'settings.COMMON: BULK_OPERATION_BATCH_SIZE: 0 is not a whole number above 0',
    ],
    [
      { COMMON: { BULK_OPERATION_BATCH_SIZE: '5' } },
      'settings.COMMON: BULK_OPERATION_BATCH_SIZE: "5" is not a whole number above 0; write 5 without quotes',
    ],
    [
      { COMMON: { COUNT_LIMIT: '5' } },
      'settings.COMMON: COUNT_LIMIT: "5" is not a whole number above 0, or null; write 5 without quotes',
    ],
    [{ JOBS: { RETENTION: 'five' } }, 'settings.JOBS: RETENTION: "five" is not a whole number above 0'],
    [
      { JOBS: { ANONYMOUS: 'true' } },
      'settings.JOBS: ANONYMOUS: "true" is not true or false; write true without quotes',
    ],
    [
      { COMMON: { BULK_OPERATION_BATCH_SIZE: 1.5 } },
      'settings.COMMON: BULK_OPERATION_BATCH_SIZE: 1.5 is not a whole number above 0',
    ],
    [
      { COMMON: { BULK_OPERATION_BATCH_SIZE: null } },
      'settings.COMMON: BULK_OPERATION_BATCH_SIZE: null is not a whole number above 0',
    ],
  ])('%j', (input, problem) => {
    expect(problemOf(() => resolveSettings(input as never, {}))).toBe(problem)
  })

  test('a key that is too short, without repeating it', () => {
    const problem = 'the value is not a text of at least 32 characters'
    expect(problemOf(() => resolveSettings({ COMMON: { SECRET_KEY: 'short' } }, {}))).toBe(
      `settings.COMMON: SECRET_KEY: ${problem}`,
    )
    expect(problemOf(() => resolveSettings({}, { COMMON_SECRET_KEY: 'short' }))).toBe(
      `settings.COMMON: environment variable COMMON_SECRET_KEY: ${problem}`,
    )
  })

  test('a wrong environment variable, naming it', () => {
    expect(problemOf(() => resolveSettings({}, { COMMON_BULK_OPERATION_BATCH_SIZE: '1e3' }))).toBe(
      'settings.COMMON: environment variable COMMON_BULK_OPERATION_BATCH_SIZE: "1e3" is not a whole number above 0',
    )
  })

  test('nothing that is right: the environment goes before what is given, which goes before the defaults', () => {
    const defaults = {
      BULK_OPERATION_BATCH_SIZE: 1000,
      IMPORT_MAX_FILE_SIZE: 52_428_800,
      BODY_TIMEOUT: 30_000,
      UPLOAD_TIMEOUT: 600_000,
      STALL_TIMEOUT: 30_000,
      TIME_ZONE: 'UTC',
      EXPORT_PDF_MAX_ROWS: 10_000,
      EDIT_MAX_ROWS: 50_000,
      EXPORT_DATA_MAX_ROWS: 10_000,
      COUNT_LIMIT: null,
      IMPORT_CONCURRENCY: 4,
      IMPORT_MAPPINGS_PER_USER: 100,
      SECRET_KEY: null,
    }
    const JOBS = {
      RETENTION: 604_800_000,
      UNFINISHED_PER_USER: 20,
      UNFINISHED_TOTAL: 1_000,
      STREAMS_PER_USER: 20,
      ANONYMOUS: false,
    }
    const IDEMPOTENCY = { RETENTION: 86_400_000 }
    const HISTORY = { RETENTION: null }
    expect(resolveSettings({}, {})).toEqual({ COMMON: defaults, JOBS, IDEMPOTENCY, HISTORY })
    const given = { ...defaults, BULK_OPERATION_BATCH_SIZE: 500, TIME_ZONE: 'Europe/Berlin', EXPORT_PDF_MAX_ROWS: 50 }
    expect(resolveSettings({ COMMON: given }, {})).toEqual({ COMMON: given, JOBS, IDEMPOTENCY, HISTORY })
    const environment = { COMMON_BULK_OPERATION_BATCH_SIZE: '7', COMMON_TIME_ZONE: 'Asia/Tokyo' }
    expect(
      resolveSettings(
        { COMMON: given, JOBS: { RETENTION: 5 } },
        { ...environment, COMMON_COUNT_LIMIT: '8', JOBS_RETENTION: '6', JOBS_ANONYMOUS: 'true' },
      ),
    ).toEqual({
      COMMON: { ...given, BULK_OPERATION_BATCH_SIZE: 7, COUNT_LIMIT: 8, TIME_ZONE: 'Asia/Tokyo' },
      JOBS: { ...JOBS, RETENTION: 6, ANONYMOUS: true },
      IDEMPOTENCY,
      HISTORY,
    })
    const bounded = { COMMON: { COUNT_LIMIT: 9 } }
    expect(resolveSettings(bounded, { COMMON_COUNT_LIMIT: 'null' }).COMMON.COUNT_LIMIT).toBeNull()
  })
})
