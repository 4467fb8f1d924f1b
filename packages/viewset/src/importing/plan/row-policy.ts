import type { ImportModel, OnExisting, OnMissing } from '../config.ts'
import type { ConfigCheck } from './config-check.ts'

/** What a row does, by whether the record that it is about is stored. */
export interface RowPolicy {
  readonly onExisting: OnExisting
  readonly onMissing: OnMissing
  /** A row that says what is stored already writes nothing. */
  readonly skipUnchanged: boolean
  /** No record is looked for: each row makes a new one. */
  readonly createOnly: boolean
}

const ON_EXISTING: readonly OnExisting[] = ['update', 'skip', 'fail']
const ON_MISSING: readonly OnMissing[] = ['create', 'skip', 'fail']
/** Settings that are about a record which is found. */
const ABOUT_FOUND = ['onExisting', 'onMissing', 'skipUnchanged', 'deleteWhen'] as const

/** @throws ConfigError for a policy that is none, and for policies that exclude each other. */
export function rowPolicy(check: ConfigCheck, at: string, config: ImportModel): RowPolicy {
  const { onExisting = 'update', onMissing = 'create', skipUnchanged = false, createOnly = false } = config
  check.choice(`${at}.onExisting`, onExisting, ON_EXISTING)
  check.choice(`${at}.onMissing`, onMissing, ON_MISSING)
  check.that(typeof skipUnchanged === 'boolean', `${at}.skipUnchanged`, 'must be true or false')
  check.that(typeof createOnly === 'boolean', `${at}.createOnly`, 'must be true or false')
  if (createOnly) {
    const { uniqueFields = [] } = config
    const problem = `creates a record for each row and looks for none; leave uniqueFields out, or say onExisting: 'fail'`
    check.that(uniqueFields.length === 0, `${at}.createOnly`, problem)
    const other = ABOUT_FOUND.find(key => config[key] !== undefined)
    check.that(other === undefined, `${at}.${other}`, 'is about a record that is found, and createOnly looks for none')
  } else {
    const problem = `skips rows that would update a record, and onExisting: '${onExisting}' updates none`
    check.that(!skipUnchanged || onExisting === 'update', `${at}.skipUnchanged`, problem)
    const nothing = `with onExisting: '${onExisting}', no row would write anything`
    const isIdle = onExisting !== 'update' && onMissing !== 'create' && config.deleteWhen === undefined
    check.that(!isIdle, `${at}.onMissing`, nothing)
  }
  return { onExisting, onMissing, skipUnchanged, createOnly }
}
