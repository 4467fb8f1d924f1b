import type { GenericViewSet } from './generic-viewset.ts'
import type { AnyResourceClass } from './mixin.ts'
import { GRANTED } from './permissions.ts'

/** A step before an action. It returns a promise only if it has to wait. */
export type Step = (view: GenericViewSet) => Promise<unknown> | undefined

/**
 * The checks before each action of a resource: the permissions, and those of its rooms. Requests and jobs pass the same
 * ones. Which checks exist is known when the class is.
 *
 * @param permits the method that checks further permissions of the action
 */
export function doorOf({ definition: { doors } }: AnyResourceClass, permits?: string): Step {
  // TypeScript cannot check this: each room expects a view with its own settings, and this view has them.
  return inTurn([askPermissions(permits), ...(doors as readonly Step[])])
}

/** Asks the permissions of an action, before any record is known. */
export function askPermissions(permits?: string): Step {
  const asked: Step = view => {
    const answer = view.initial()
    return answer === GRANTED ? undefined : answer
  }
  return permits === undefined ? asked : inTurn([asked, view => asPromise(runMethod(view, permits))])
}

function inTurn(steps: readonly Step[]): Step {
  const [first] = steps
  return first && steps.length === 1 ? first : view => runFrom(steps, 0, view)
}

function runFrom(steps: readonly Step[], from: number, view: GenericViewSet): Promise<unknown> | undefined {
  for (let at = from; at < steps.length; at++) {
    const waits = steps[at]?.(view)
    if (waits) return waits.then(() => runFrom(steps, at + 1, view))
  }
  return undefined
}

function asPromise(result: unknown): Promise<unknown> | undefined {
  return result instanceof Promise ? result : undefined
}

/** Calls a method of a view by the name that a route gives. */
export function runMethod(view: GenericViewSet, action: string): unknown {
  const method: unknown = Reflect.get(view, action)
  if (typeof method !== 'function') throw new Error(`The route's method "${action}" is missing.`)
  return method.call(view)
}
