import { measureCases } from './measure-cases.ts'
import type { CaseResult } from './report.ts'

const QUICK_CASES = ['list', 'retrieve', 'create', 'patch'] as const

/** Measures single requests on SQLite, unbuilt, in about a minute: fewer rounds, and a shorter warm-up. */
export function measureQuick(names: readonly string[] = QUICK_CASES): AsyncGenerator<CaseResult> {
  return measureCases({ names, dialects: ['sqlite'], rounds: 7, mostWarmUp: 8, fromSource: true })
}
