import { runInContext } from '../../core/context.ts'
import { keepsHistory } from '../../model/history.ts'
import { isRecordOf } from '../../records/record.ts'
import { validateInput } from '../../serializer/validate.ts'
import type { Isolation } from '../../store/connection/transaction.ts'
import type { ActionSpec, HttpMethod } from '../actions.ts'
import { Reply } from '../answer/reply.ts'
import { type ApiResponse, checkedAnswer, Rendered, rendered, respond } from '../answer/respond.ts'
import { GenericViewSet } from '../generic-viewset.ts'
import { changeOf } from '../history/change.ts'
import { answerOnce, keyedRequest } from '../idempotency/answer-once.ts'
import { makeView } from '../make-view.ts'
import type { AnyResourceClass } from '../mixin.ts'
import { findParent } from '../parent/find-parent.ts'
import { isPermitted, isSafe } from '../permissions.ts'
import { hidesLookup, hidesParent } from '../reading/hidden-lookup.ts'
import { hiddenParameters } from '../reading/hidden-parameters.ts'
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

export async function answerCall(resource: AnyResourceClass, call: Call, context: EndpointContext): Promise<Reply> {
  const { resourceName, action, spec, writes, parameters } = call
  const view = makeView(resource, { ...context, resourceName, action, spec, parameters, writes })
  view.hidesLookup = () => hidesLookup(view)
  const answer = () => answerView(view, call, context)
  const changes = keepsHistory() && (writes || !isSafe(call.method))
  return changes ? runInContext({ change: changeOf(view) }, answer) : answer()
}

async function answerView(view: GenericViewSet, call: Call, context: EndpointContext): Promise<Reply> {
  const { writes, permits, parameters, isolation } = call
  await view.initial()
  if (permits !== undefined) await runMethod(view, permits)
  // Also an action that reads no records of the tenant, such as an export of rows from the body, needs one.
  view.definition.tenant?.of(view)
  await findParent(view, hidesParent(view))
  parameters?.checkQuery(context.request, () => hiddenParameters(view))
  const { database, request } = context
  const options = {
    isolation,
    // Read when the transaction waits: a request that does not wait makes no AbortController.
    get signal() {
      return request.signal
    },
  }
  const always: InTransaction = act => database.transaction(act, options)
  const inTransaction: InTransaction = writes ? always : act => act()
  const arounds = neededArounds(view)
  const keyed = call.takesKeys ? keyedRequest(view) : undefined
  if (arounds.length === 0 && !keyed) return perform(view, call, inTransaction)
  const act = () => perform(view, call, act => act())
  if (!keyed) return new Reply(new Rendered(await enclosed(view, arounds, inTransaction, act)))
  const answer = await answerOnce(view, keyed, once => enclosed(view, [...arounds, once], always, act))
  return new Reply(new Rendered(answer))
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

type InTransaction = <T>(act: () => Promise<T>) => Promise<T>

async function perform(view: GenericViewSet, call: Call, inTransaction: InTransaction): Promise<Reply> {
  const { action, spec, writes, isolation, before, write, status } = call
  const early = before === undefined ? undefined : await runMethod(view, before)
  if (early instanceof Reply) return finalized(view, replyTo(view, early, status))
  const written = write && !isolation && !view.overrides(action) ? await writeByOneStatement(view, write) : undefined
  if (written) return replyTo(view, written, status)
  const run = () => (spec ? runCustom(view, spec) : runMethod(view, action))
  return inTransaction(async () => {
    const reply = await finalized(view, replyTo(view, await run(), status))
    // An error of `finalize`, or an answer that is not valid JSON, undoes the write.
    return writes ? rendered(reply) : reply
  })
}

async function finalized(view: GenericViewSet, made: Reply): Promise<Reply> {
  const reply = view.finalize === GenericViewSet.prototype.finalize ? made : await view.finalize(made)
  if (!(reply instanceof Reply)) throw new TypeError('finalize must return a Reply: the one that it gets, or another.')
  return reply
}

export function isCallAllowed(resource: AnyResourceClass, call: Call, context: EndpointContext): Promise<boolean> {
  const { resourceName, action, method, spec, permits } = call
  const view = makeView(resource, { ...context, resourceName, action, method, spec })
  return isPermitted(async () => {
    await view.initial()
    if (permits !== undefined) await runMethod(view, permits)
  })
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

function runMethod(view: GenericViewSet, action: string): unknown {
  const method: unknown = Reflect.get(view, action)
  if (typeof method !== 'function') throw new Error(`The route's method "${action}" is missing.`)
  return method.call(view)
}
