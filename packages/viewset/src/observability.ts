import './core/check-node.ts'

export {
  channels,
  type EventChannel,
  type EventMoment,
  type RequestEvent,
  type StatementEvent,
  type TransactionEvent,
} from './core/channels.ts'
export { type RegistrationEvent, registrations } from './describe/registrations.ts'
