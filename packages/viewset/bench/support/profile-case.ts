import type { Side } from '../case.ts'
import { startServer } from './child-server.ts'
import { type MeasureOptions, runRound } from './measure.ts'
import type { TimeParts } from './profile-parts.ts'

/** Rounds before a profile, and in it. A profile is of what is warm. */
const ROUNDS = { before: 12, within: 6 }

/** Where the time of a case's requests goes, in both servers. From the sources: a built package has no folders. */
export async function profileCase(options: MeasureOptions): Promise<Readonly<Record<Side, TimeParts>>> {
  return { floor: await profileServer(options, 'floor'), viewset: await profileServer(options, 'viewset') }
}

async function profileServer(options: MeasureOptions, side: Side): Promise<TimeParts> {
  const server = await startServer({ ...options, side, fromSource: true })
  try {
    for (let n = 0; n < ROUNDS.before; n++) await runRound(options, server)
    await server.program.beginProfile()
    for (let n = 0; n < ROUNDS.within; n++) await runRound(options, server)
    return await server.program.endProfile()
  } finally {
    await server.program.stop()
  }
}
