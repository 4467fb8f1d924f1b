import { runInContext } from '../../core/context.ts'
import { keepsHistory } from '../../model/history.ts'
import { isRecordOf } from '../../records/record.ts'
import { validateInput } from '../../serializer/validate.ts'
import type { Isolation } from '../../store/connection/transaction.ts'
import type { ActionSpec } from '../actions.ts'
import { Reply } from '../answer/reply.ts'
import { type ApiResponse, checkedAnswer, Rendered, rendered, respond } from '../answer/respond.ts'
import { askPermissions, doorOf, runMethod } from '../door.ts'
import { GenericViewSet } from '../generic-viewset.ts'
import { changeOf } from '../history/change.ts'
import type { HttpMethod } from '../http-method.ts'
import { answerOnce, keyedRequest } from '../idempotency/answer-once.ts'
import { makeView } from '../make-view.ts'
import type { AnyResourceClass } from '../mixin.ts'
import { isPermitted, isSafe } from '../permissions.ts'
import { hidesLookup } from '../reading/hidden-lookup.ts'
import { hiddenParameters } from '../reading/hidden-parameters.ts'
import type { ResourceDefinition } from '../resource/resource.ts'
import type { MixinAround } from '../seams.ts'
import { writeByOneStatement } from '../write/one-statement.ts'
import { recordHeaders } from '../write/record-headers.ts'
import { neededArounds, type WriteKind } from '../write/watchers.ts'
import type { EndpointContext } from './endpoint.ts'
import type { KnownParameters } from './known-parameters.ts'

export interface Call {
  readonly resourceName: string
  readonly action: string
  readonly method: HttpMethod
  readonly spec?: ActionSpec
  readonly writes: boolean
  readonly isolation?: Isolation | undefined
  /** The method that checks further permissions. */
  readonly permits?: string | undefined
  /** The method that runs before the transaction. It may refuse the request without a database, or answer it. */
  readonly before?: string | undefined
  /** The kind of write, if one statement can make it. */
  readonly write?: WriteKind | undefined
  readonly parameters?: KnownParameters | undefined
  readonly status: number
  /** Whether a request with an `Idempotency-Key` is carried out once. */
  readonly takesKeys: boolean
}

/** An action as a request runs it, after its door. */
type Act = (view: GenericViewSet, context: EndpointContext) => Promise<Reply>

/**
 * Compiles a call when its resource is registered: a request runs only the steps that the resource has. A promise is
 * made only where a step has to wait.
 */
export function compileCall(resource: AnyResourceClass, call: Call): (context: EndpointContext) => Promise<Reply> {
  const { resourceName, action, method, spec, writes, permits, parameters } = call
  const { definition } = resource
  const fixed = { resourceName, action, spec, parameters, writes }
  const enter = doorOf(resource, permits)
  const act = compileAct(definition, call)
  const isNamed = definition.config.lookupField !== undefined
  const mayChange = writes || !isSafe(method)
  const checked: Act = (view, context) => {
    parameters?.checkQuery(context.request, () => hiddenParameters(view))
    return act(view, context)
  }
  return context => {
    const view = makeView(resource, { ...context, ...fixed })
    if (isNamed) view.hidesLookup = () => hidesLookup(view)
    const answer = () => {
      const waits = enter(view)
      return waits ? waits.then(() => checked(view, context)) : checked(view, context)
    }
    return mayChange && keepsHistory() ? runInContext({ change: changeOf(view) }, answer) : answer()
  }
}

function compileAct({ arounds }: ResourceDefinition, call: Call): Act {
  const perform = call.writes ? performWrite(call) : performRead(call)
  return arounds.length === 0 && !call.takesKeys ? perform : encloses(call, perform)
}

/** Performs an action. `inTransaction` is how it begins its transaction: inside of an enclosing one it begins none. */
type Perform = (view: GenericViewSet, context: EndpointContext, inTransaction?: InTransaction) => Promise<Reply>

type InTransaction = <T>(act: () => Promise<T>) => Promise<T>

function transactionOf({ database, request }: EndpointContext, { isolation }: Call): InTransaction {
  const options = {
    isolation,
    // Read when the transaction waits: a request that does not wait makes no AbortController.
    get signal() {
      return request.signal
    },
  }
  return act => database.transaction(act, options)
}

const IN_NONE: InTransaction = act => act()

/** An action of a resource whose mixins enclose requests, or that takes an `Idempotency-Key`. */
function encloses(call: Call, perform: Perform): Act {
  const { writes, takesKeys } = call
  return async (view, context) => {
    const arounds = neededArounds(view)
    const keyed = takesKeys ? keyedRequest(view) : undefined
    if (arounds.length === 0 && !keyed) return perform(view, context)
    const act = () => perform(view, context, IN_NONE)
    const always = transactionOf(context, call)
    if (!keyed) return new Reply(new Rendered(await enclosed(view, arounds, writes ? always : IN_NONE, act)))
    const answer = await answerOnce(view, keyed, once => enclosed(view, [...arounds, once], always, act))
    return new Reply(new Rendered(answer))
  }
}

/** Undoes a transaction whose error a mixin has turned into an answer. */
class Undone extends Error {
  readonly answer: ApiResponse

  constructor(answer: ApiResponse) {
    super('An error has undone the write.')
    this.answer = answer
  }
}

/** The later mixin encloses the earlier one, as with methods. */
async function enclosed(
  view: GenericViewSet,
  arounds: readonly MixinAround[],
  inTransaction: InTransaction,
  act: () => Promise<Reply>,
): Promise<ApiResponse> {
  let hasFailed = false
  const run = async () => {
    hasFailed = false
    try {
      return await respond(await act())
    } catch (error) {
      hasFailed = true
      throw error
    }
  }
  const answer = arounds.reduce<() => Promise<ApiResponse>>(
    // TypeScript cannot check this: each `run` expects a view with its own mixin, and this view has it.
    (next, around) => async () => checkedAnswer(await around.run(view as never, next)),
    run,
  )
  try {
    return await inTransaction(async () => {
      const made = await answer()
      if (hasFailed) throw new Undone(made)
      return made
    })
  } catch (error) {
    if (error instanceof Undone) return error.answer
    throw error
  }
}

function runOf({ spec, action }: Call): (view: GenericViewSet) => unknown {
  return spec ? view => runCustom(view, spec) : view => runMethod(view, action)
}

function performRead(call: Call): Perform {
  const { before, status } = call
  const run = runOf(call)
  return async view => {
    const early = before === undefined ? undefined : await runMethod(view, before)
    const reply = replyTo(view, early instanceof Reply ? early : await run(view), status)
    return finalizes(view) ? finalized(view, reply) : reply
  }
}

function performWrite(call: Call): Perform {
  const { action, before, write, isolation, status } = call
  const run = runOf(call)
  const byOne = isolation ? undefined : write
  return async (view, context, inTransaction) => {
    const early = before === undefined ? undefined : await runMethod(view, before)
    if (early instanceof Reply) return finalized(view, replyTo(view, early, status))
    const tried = byOne && !view.overrides(action) ? writeByOneStatement(view, byOne) : undefined
    const written = tried && (await tried)
    if (written) return replyTo(view, written, status)
    // An error of `finalize`, or an answer that is not valid JSON, undoes the write.
    const act = async () => rendered(await finalized(view, replyTo(view, await run(view), status)))
    return (inTransaction ?? transactionOf(context, call))(act)
  }
}

function finalizes(view: GenericViewSet): boolean {
  return view.finalize !== GenericViewSet.prototype.finalize
}

async function finalized(view: GenericViewSet, made: Reply): Promise<Reply> {
  const reply = finalizes(view) ? await view.finalize(made) : made
  if (!(reply instanceof Reply)) throw new TypeError('finalize must return a Reply: the one that it gets, or another.')
  return reply
}

export function isCallAllowed(resource: AnyResourceClass, call: Call, context: EndpointContext): Promise<boolean> {
  const { resourceName, action, method, spec, permits } = call
  const view = makeView(resource, { ...context, resourceName, action, method, spec })
  return isPermitted(() => askPermissions(permits)(view))
}

/** The reply of an action, with the headers that mixins make of the record in it. */
function replyTo(view: GenericViewSet, result: unknown, status: number): Reply {
  const headers = recordHeaders(view, view.shown)
  if (!(result instanceof Reply)) return new Reply(result, { status, headers })
  const reply = result.status === undefined ? result.with({ status }) : result
  return view.shown === undefined ? reply : reply.with({ headers: { ...headers, ...reply.headers } })
}

async function runCustom(view: GenericViewSet, spec: ActionSpec): Promise<unknown> {
  const input = spec.input ? validateInput(spec.input, view.request.body) : undefined
  // TypeScript has checked the handler's types at its declaration. Here, any action runs.
  const result = await spec.handler(view as never, input as never)
  return result instanceof Reply
    ? result.with({ data: await shownResult(view, spec, result.data) })
    : shownResult(view, spec, result)
}

/** Without an `output`, the serializer shows a record, since it knows the hidden fields. */
async function shownResult(view: GenericViewSet, { output }: ActionSpec, data: unknown): Promise<unknown> {
  if (output) return output.parse(data)
  if (!isRecordOf(view.model, data)) return data
  view.shown = data
  return view.serialize(data)
}
