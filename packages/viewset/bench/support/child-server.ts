import { join } from 'node:path'
import type { BenchCase, DialectName, Side } from '../case.ts'
import { ChildProgram } from './child-program.ts'

const PROGRAM = join(import.meta.dirname, '../server.ts')

export interface ServerOptions {
  readonly side: Side
  readonly dialect: DialectName
  readonly benchCase: BenchCase
  /** Of the database. */
  readonly location: string
  /** A folder for a CPU profile of the server. */
  readonly profile: string | undefined
  readonly fromSource?: boolean
}

/** One of the two servers that are compared. */
export interface ChildServer {
  readonly program: ChildProgram
  readonly port: number
}

export async function startServer(options: ServerOptions): Promise<ChildServer> {
  const { side, dialect, benchCase, location, profile, fromSource } = options
  const name = `${dialect}-${benchCase.name}-${side}.cpuprofile`
  const execArgv = profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`, `--cpu-prof-name=${name}`] : []
  const args = [side, dialect, benchCase.name, location]
  const { program, ready } = await ChildProgram.start(PROGRAM, { args, execArgv, fromSource })
  if (ready.port === undefined) throw new Error(`The ${side} server did not tell its port`)
  return { program, port: ready.port }
}
