import { currentContext } from '../core/context.ts'
import type { ImportRowError, ImportRowProblem } from '../model/row-error.ts'

/** What a report shows of a problem. */
export function shownProblem({ code, value: _, isWarning: __, ...shown }: ImportRowProblem): ImportRowError {
  if (!currentContext().errorCodes) return shown
  const { model, ...others } = shown
  return { ...others, code, model }
}

export function isError({ isWarning }: ImportRowProblem): boolean {
  return !isWarning
}

/** The errors among problems, as a report shows them. */
export function shownErrors(problems: readonly ImportRowProblem[]): readonly ImportRowError[] {
  return problems.filter(isError).map(shownProblem)
}
