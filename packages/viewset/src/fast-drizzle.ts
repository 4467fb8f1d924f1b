import './core/check-node.ts'

export { isDrizzleFast } from './core/fast-drizzle.ts'
