import { currentContext } from '../../core/context.ts'
import { message } from '../../core/messages/message.ts'
import { languageHeaders } from '../../core/messages/wording.ts'
import type { ReplyOptions } from '../answer/reply.ts'

/** The message of a restore, in the language of the client. */
export function restoredReply(name: 'restored' | 'restored.active'): ReplyOptions {
  return { message: String(message(name)), headers: languageHeaders(currentContext()) }
}
